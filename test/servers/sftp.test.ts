import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { createSftpTransport } from '../../daemon/transports/sftp/sftp-transport.js';
import { notApplicable, unreachableHosts } from '../contracts/transport/common-error-cases.js';
import { secret } from '../contracts/transport/transport-harness.js';
import { transportContract } from '../contracts/transport.js';
import { startSocketSource } from '../helpers/servers/http-source.js';
import { skipSuite } from '../helpers/servers/program.js';
import { startSshd } from '../helpers/servers/sshd.js';
import { tempFolder } from '../helpers/temp.js';

const server = await startSshd();
if ('missing' in server) skipSuite('sftp against sshd', server);
else {
  const { port, folder, user, password, own } = server;
  const input = join(folder, 'in put');
  const output = join(folder, 'out');
  const closed = join(folder, 'closed');
  for (const path of [input, output, closed]) await mkdir(path).then(() => own(path));
  await writeFile(join(folder, 'closed.mp4'), 'closed', { mode: 0o600 });
  await chmod(join(folder, 'closed.mp4'), 0);
  await chmod(closed, 0o500);

  const options = {
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    cleanupJournal: noCleanupJournal,
    retryDelayMs: 1,
    key: { key: server.keyPath, passphrase: null },
    hostKeysPath: join(tempFolder(), 'data', 'known_hosts'),
    knownHostsPaths: [],
  };
  const transport = createSftpTransport({ ...options, stallTimeoutMs: 10_000 });
  const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');
  const silent = await startSocketSource(() => undefined);
  const { host: silentHost } = new URL(silent.url);

  for (const way of password === null ? (['a key'] as const) : (['a key', 'a password'] as const)) {
    const login = way === 'a key' ? user : `${user}:${password}`;
    const url = (path: string) => `sftp://${login}@127.0.0.1:${port}${encoded(join(folder, path))}`;
    const as = (credentials: string, path: string) =>
      `sftp://${credentials}@127.0.0.1:${port}${encoded(join(folder, path))}`;
    const hosts = unreachableHosts((host) => `sftp://${user}:${secret}@${host}/a/b.mp4`);
    const stalling = {
      transport: createSftpTransport({ ...options, stallTimeoutMs: 300 }),
      url: async () => `sftp://${user}:${secret}@${silentHost}/a/b.mp4`,
    };
    const wrong = (path: string) => async () => as(`${user}:no-${secret}`, path);
    const noRoot = notApplicable('the current user has access to everything');
    transportContract(`sftp with ${way}`, {
      transport,
      against: server.version,
      download: {
        async offer(name, bytes) {
          await writeFile(join(input, name), bytes);
          return url(`in put/${name}`);
        },
        common: {
          'a wrong password': password === null ? notApplicable('no passwords') : wrong('in put/a.mp4'),
          'a missing file': async () => url('in put/missing.mp4'),
          'a file without permission': password === null ? noRoot : async () => url('closed.mp4'),
          'a server that stalls': stalling,
          ...hosts,
        },
        errorCases: [
          { what: 'a folder', errorClass: 'DownloadFailureError', url: async () => url('in put') },
          {
            what: 'a name that is too long',
            errorClass: 'FileNotFoundError',
            url: async () => url(`${'n'.repeat(300)}.mp4`),
          },
        ],
      },
      upload: {
        hasFolders: true,
        clearsFolders: true,
        urlOf: (name) => as(login, `out/${name}`),
        read: async (name) => {
          try {
            return readFileSync(join(output, name));
          } catch {
            return null;
          }
        },
        list: async () => readdirSync(output, { recursive: true, encoding: 'utf8' }).toSorted(),
        common: {
          'a wrong password': password === null ? notApplicable('no passwords') : wrong('out/a.mp4'),
          'a destination without permission': password === null ? noRoot : async () => url('closed/a.mp4'),
          'a full destination':
            server.small === null
              ? notApplicable('a small volume needs root')
              : async () => url('small/a.mp4'),
          'a server that stalls': stalling,
          ...hosts,
        },
        errorCases: [
          {
            what: 'a folder of its name',
            errorClass: 'UploadFailureError',
            url: async () => {
              await mkdir(join(output, 'folder.mp4'), { recursive: true }).then(() =>
                own(join(output, 'folder.mp4')),
              );
              return url('out/folder.mp4');
            },
          },
          {
            what: 'a name that is too long',
            errorClass: 'UploadFailureError',
            url: async () => url(`out/${'n'.repeat(300)}.mp4`),
          },
        ],
      },
      close: async () => {
        if (way === 'a key' && password !== null) return;
        await Promise.all([silent.close(), server.close()]);
      },
    });
  }
}
