import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Which side of the protocol of workers a proxy makes one version newer. */
export type NewerSide = 'worker' | 'daemon';

/** A proxy between a worker and a daemon that makes one of them look one version newer. */
export interface VersionProxy {
  readonly url: string;
  /** Number of messages that it has changed. */
  readonly changedCount: number;
  close(): Promise<void>;
}

/**
 * Starts a proxy to a daemon. The messages of one side have the next version of the protocol, and members that the other side does not
 * know, at every level. Files pass unchanged.
 */
export async function startVersionProxy(daemonUrl: string, side: NewerSide): Promise<VersionProxy> {
  const proxy = { changedCount: 0 };
  const isMessage = (headers: IncomingHttpHeaders) =>
    headers['content-type']?.startsWith('application/json') === true;
  const change = async (message: IncomingMessage, path: string): Promise<Buffer> => {
    const bytes = await buffer(message);
    if (bytes.length === 0) return bytes;
    proxy.changedCount += 1;
    const json = withUnknownMembers(JSON.parse(bytes.toString('utf8'))) as Record<string, unknown>;
    const hasVersion = side === 'worker' ? path === '/worker/v1/workers' : path === '/worker/v1';
    return Buffer.from(JSON.stringify(hasVersion ? { ...json, protocol: Number(json.protocol) + 1 } : json));
  };
  const server: Server = createServer(async (near, answer) => {
    const path = near.url ?? '';
    const sent = side === 'worker' && isMessage(near.headers) ? await change(near, path) : null;
    const headers = sent === null ? near.headers : { ...near.headers, 'content-length': sent.length };
    const far = request(`${daemonUrl}${path}`, { method: near.method, headers }, async (received) => {
      const body = side === 'daemon' && isMessage(received.headers) ? await change(received, path) : null;
      const length = body === null ? {} : { 'content-length': body.length };
      answer.writeHead(received.statusCode ?? 0, { ...received.headers, ...length });
      if (body === null) received.pipe(answer);
      else answer.end(body);
    });
    far.on('error', () => near.destroy());
    answer.on('close', () => far.destroy());
    if (sent === null) near.pipe(far);
    else far.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get changedCount() {
      return proxy.changedCount;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The same JSON in which every object has a member more. */
function withUnknownMembers(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withUnknownMembers);
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).map(([name, value]) => [name, withUnknownMembers(value)]);
  return { ...Object.fromEntries(members), aLaterMember: { isNew: true } };
}
