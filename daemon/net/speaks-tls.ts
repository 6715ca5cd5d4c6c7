import { connect } from 'node:tls';

/** How long the handshake may take, in milliseconds. */
const timeoutMs = 3_000;

/**
 * Whether the server at the host and port of a URL speaks TLS. It is asked after a request over plain HTTP failed: what
 * a TLS server answers to one differs (nothing, an alert, or a page with status 400), and a handshake is certain. No
 * data is sent, so the certificate does not matter.
 */
export function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port === '' ? '80' : port), rejectUnauthorized: false });
    const settle = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.once('secureConnect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.setTimeout(timeoutMs, () => settle(false));
  });
}
