import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import type { SwiftOptions } from '../../daemon/transports/swift/swift-session.js';
import { createSwiftTransport } from '../../daemon/transports/swift/swift-transport.js';
import { secret } from '../contracts/transport/transport-harness.js';
import { transportContract } from '../contracts/transport.js';
import { skipSuite } from '../helpers/servers/program.js';
import { startSwift, swiftPrograms } from '../helpers/servers/swift.js';

const programs = swiftPrograms();

if ('missing' in programs) skipSuite('cf', programs);
else {
  const swift = await startSwift(programs);
  const encoded = (name: string) => name.split('/').map(encodeURIComponent).join('/');

  /** Accepts every login and then never responds. */
  const silent = createServer((request, response) => {
    if (request.url !== '/auth') return;
    response
      .writeHead(200, { 'x-auth-token': 't', 'x-storage-url': `http://${request.headers.host}/v1` })
      .end();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const silentAuth = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/auth`;

  // No private networks are allowed; the hosts of the configuration are exempt.
  const transportAt = (authUrl: string, options: Partial<SwiftOptions> = {}) =>
    createSwiftTransport({
      guardFor: (exemptHosts) => createSsrfGuard({ allowPrivateNetwork: false, exemptHosts }),
      stallTimeoutMs: 20_000,
      retryDelayMs: 1,
      cleanupJournal: noCleanupJournal,
      service: { authUrl, keys: { id: swift.user, secret: swift.key } },
      ...options,
    });
  const transport = transportAt(swift.authUrl);

  for (const container of ['films', 'full', 'private']) {
    const headers: Record<string, string> =
      container === 'full' ? { 'x-container-meta-quota-bytes': '2' } : {};
    await swift.ask('PUT', container, { headers });
  }
  await swift.ask('PUT', 'private/a.mp4', { body: 'private' });

  const own = (user: string, key: string, path: string) => `cf://${encodeURIComponent(user)}:${key}@${path}`;
  const wrong = own(swift.user, secret, 'films/a.mp4');
  const readOnly = own(swift.readOnly.user, swift.readOnly.key, 'private/a.mp4');
  const at = (authUrl: string, options?: Partial<SwiftOptions>) => ({
    transport: transportAt(authUrl, options),
    url: async () => own('somebody', secret, 'films/a.mp4'),
  });
  const unreachable = {
    'a wrong password': async () => wrong,
    'a refused connection': at('http://127.0.0.1:1/auth/v1.0'),
    'a host that does not exist': at('http://nowhere.invalid/auth/v1.0'),
    'a metadata service': at('http://169.254.169.254/auth/v1.0'),
    'a server that stalls': at(silentAuth, { stallTimeoutMs: 200 }),
  } as const;

  transportContract('cf', {
    transport,
    against: `OpenStack Swift ${swift.version}`,
    download: {
      async offer(name, bytes) {
        await swift.ask('PUT', `films/${encoded(name)}`, { body: bytes });
        return `cf://films/${encoded(name)}`;
      },
      common: {
        ...unreachable,
        'a missing file': async () => 'cf://films/missing.mp4',
        'a file without permission': async () => readOnly,
      },
      errorCases: [
        {
          what: 'a missing container',
          errorClass: 'FileNotFoundError',
          url: async () => 'cf://nowhere/a.mp4',
        },
      ],
    },
    upload: {
      urlOf: (name) => `cf://films/${encoded(name)}`,
      async read(name) {
        const answer = await swift.ask('GET', `films/${encoded(name)}`);
        const bytes = Buffer.from(await answer.arrayBuffer());
        return answer.status === 200 ? bytes : null;
      },
      list: () => swift.list('films'),
      common: {
        ...unreachable,
        'a destination without permission': async () => readOnly,
        'a full destination': async () => 'cf://full/a.mp4',
      },
      errorCases: [
        {
          what: 'a missing container',
          errorClass: 'FileNotFoundError',
          url: async () => 'cf://nowhere/a.mp4',
        },
      ],
      hasFolders: true,
    },
    async close() {
      silent.closeAllConnections();
      silent.close();
      await swift.end();
    },
  });
}
