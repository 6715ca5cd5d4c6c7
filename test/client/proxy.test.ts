import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findProxy, resolveProxyOptions } from '../../src/client/proxy.js';
import { VencError } from '../../src/shared/errors.js';
import { runCli } from '../cli/run-cli.js';
import { testKey } from '../helpers/servers/test-certificate.js';
import { tempFolder } from '../helpers/temp.js';

const env = {
  https_proxy: 'http://p:1',
  HTTP_PROXY: 'p:2',
  NO_PROXY: 'local.example, .inner.example,h:8080,::2',
};
for (const [address, text] of [
  ['https://far.example', 'http://p:1'],
  ['http://far.example', 'p:2'],
  ['http://127.0.0.1:8686', undefined],
  ['http://localhost:8686', undefined],
  ['http://[::1]:8686', undefined],
  ['https://local.example', undefined],
  ['https://a.local.example', undefined],
  ['https://notlocal.example', 'http://p:1'],
  ['https://b.inner.example', undefined],
  ['http://h:8080', undefined],
  ['http://h:8081', 'p:2'],
  ['http://[::2]', undefined],
] as const) {
  test(`${address} is connected ${text === undefined ? 'directly' : `by ${text}`}`, () => {
    assert.is(findProxy(new URL(address), env)?.text, text);
  });
}

test('NO_PROXY=* disables all proxies', () => {
  assert.is(findProxy(new URL('https://h'), { ...env, NO_PROXY: '*' }), null);
});

/** A self-signed certificate for far.example with a key of the tests, valid for a hundred years. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIULrlt3vP5Va/kE2OC1UqOcf7onMUwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLZmFyLmV4YW1wbGUwIBcNMjYxMTIxMjE1NjA1WhgPMjEyNjEw
MjgyMTU2MDVaMBYxFDASBgNVBAMMC2Zhci5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEd4F04jr+BM8JZzPseDewNtdQrG3Y1Y1TfDDKoi+tkFpuvygV
YFZdi3eRYKACyJnxC5a6JtQC8RMc5LVX7fKcGaNrMGkwHQYDVR0OBBYEFMJcJdNY
vfNwCHVZJY2lhgcLx++oMB8GA1UdIwQYMBaAFMJcJdNYvfNwCHVZJY2lhgcLx++o
MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILZmFyLmV4YW1wbGUwCgYIKoZI
zj0EAwIDRwAwRAIgDnR4zhrexsQUWqg5QO2UnH2vFHGvLSjdnHOc9YseLzgCIH0O
LDaGJtehi5xdPlAXk+GssyOJetIGjl9ckLxZLzef
-----END CERTIFICATE-----
`;

/** A proxy that connects every name to one port of this machine, and records its requests. */
async function startProxy(port: number) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`);
    response.end('[]');
  });
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    const way = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      way.pipe(socket).pipe(way);
    });
    way.on('error', () => socket.destroy());
    socket.on('error', () => way.destroy());
  });
  return { seen, ...(await listening(server)) };
}

async function listening(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, close };
}

test('an http service is requested through the proxy, with the proxy’s own credentials', async () => {
  const proxy = await startProxy(1);
  const result = await runCli(['list', '--json'], {
    env: {
      VENC_URL: 'http://far.example/api',
      VENC_API_KEY: 'k',
      http_proxy: `http://user:pass@127.0.0.1:${proxy.port}`,
    },
  });
  proxy.close();
  assert.equal([result.code, result.stdout], [0, '[]\n'], result.stderr);
  const login = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  assert.equal(proxy.seen, [`http://far.example/api/v2/jobs.json far.example ${login}`]);
});

test('credentials with an invalid percent escape are used unchanged', async () => {
  const proxy = `http://user:50%%40@127.0.0.1:1`;
  const { headers } = await resolveProxyOptions(
    new URL('http://far.example'),
    { http_proxy: proxy },
    undefined,
  );
  const login = `Basic ${Buffer.from('user:50%%40').toString('base64')}`;
  assert.equal(headers, { Host: 'far.example', 'Proxy-Authorization': login });
});

test('an abort during the connection to a proxy is reported as an abort, not as a proxy error', async () => {
  const requests = new AbortController();
  const silent = createServer();
  silent.on('connect', () => requests.abort(new VencError('InterruptedError', 'Interrupted.')));
  const { port, close } = await listening(silent);
  const way = resolveProxyOptions(
    new URL('https://far.example'),
    { https_proxy: `http://127.0.0.1:${port}` },
    requests.signal,
  );
  assert.is(await way.catch((error: unknown) => error), requests.signal.reason);
  close();
});

test('an https service is reached through a tunnel, the proxy does not see the key, and the certificate is verified', async () => {
  const certPath = join(tempFolder(), 'far.pem');
  writeFileSync(certPath, certificate);
  const service = await listening(
    createSecure({ key: testKey, cert: certificate }, (_, response) => response.end('[]')),
  );
  const proxy = await startProxy(service.port);
  const named = {
    VENC_URL: 'https://far.example',
    VENC_API_KEY: 'k',
    HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
  };
  const untrusted = await runCli(['list', '--json'], { env: named });
  const trusted = await runCli(['list', '--json'], { env: { ...named, NODE_EXTRA_CA_CERTS: certPath } });
  service.close();
  proxy.close();
  assert.equal([trusted.code, trusted.stdout], [0, '[]\n'], trusted.stderr);
  assert.is(untrusted.code, 3);
  assert.match(
    untrusted.stderr,
    /certificate is not signed by a trusted authority\.\nvenc: hint: .*NODE_EXTRA_CA_CERTS/,
  );
  assert.equal([...new Set(proxy.seen)], ['CONNECT far.example:443 undefined']);
});

test('a proxy that is unreachable or invalid is reported as such', async () => {
  for (const [address, code, expectedText] of [
    [
      'http://127.0.0.1:1',
      3,
      /The proxy at 127\.0\.0\.1:1 could not be reached: the connection was refused\.\n.*HTTPS_PROXY/,
    ],
    ['socks5://127.0.0.1:1', 2, /HTTPS_PROXY is not the URL of an HTTP proxy/],
  ] as const) {
    const result = await runCli(['list'], {
      env: { VENC_URL: 'https://far.example', VENC_API_KEY: 'k', HTTPS_PROXY: address },
    });
    assert.is(result.code, code, result.stderr);
    assert.match(result.stderr, expectedText);
  }
});

test.run();
