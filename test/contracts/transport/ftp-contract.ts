import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../../daemon/transfer/cleanup-journal.js';
import { createFtpTransport } from '../../../daemon/transports/ftp/ftp-transport.js';
import { type FtpServer, ftpLogin, ftpUser } from '../../helpers/servers/ftp-server-folder.js';
import { startSocketSource } from '../../helpers/servers/http-source.js';
import { type MissingProgram, skipSuite } from '../../helpers/servers/program.js';
import { testCertificate } from '../../helpers/servers/test-certificate.js';
import { transportContract } from '../transport.js';
import { notApplicable, unreachableHosts } from './common-error-cases.js';
import { secret } from './transport-harness.js';

const options = {
  guard: createSsrfGuard({ allowPrivateNetwork: true }),
  cleanupJournal: noCleanupJournal,
  // vsftpd resets a connection at the moment at which the process of an earlier one ends: five attempts must take longer than that.
  retryDelayMs: 80,
  authorities: [testCertificate],
};

const ways = {
  'ftp unencrypted': { scheme: 'ftp', isImplicit: false },
  'ftps, explicit': { scheme: 'ftps', isImplicit: false },
  'ftps, implicit': { scheme: 'ftps', isImplicit: true },
} as const;

/** Runs the contract of transports over FTP, without encryption and with both kinds of it, against a server, which it closes. */
export async function ftpContract(name: string, server: FtpServer | MissingProgram): Promise<void> {
  if ('missing' in server) return skipSuite(`ftp against ${name}`, server);
  const { folder, isRoot } = server;
  const own = (path: string) => {
    if (isRoot) chownSync(path, ftpUser.uid, ftpUser.gid);
  };
  const silent = await startSocketSource(() => undefined);
  const { host: silentHost } = new URL(silent.url);
  const left = new Set(Object.keys(ways));

  for (const [way, { scheme, isImplicit }] of Object.entries(ways)) {
    const port = isImplicit ? server.implicitPort : server.port;
    const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');
    const as = (credentials: string, path: string) =>
      `${scheme}://${credentials}@127.0.0.1:${port}/${encoded(path)}`;
    const url = (path: string) => as(ftpLogin, path);
    const output = join(folder, 'out', isImplicit ? 'implicit' : scheme);
    const outputName = output.slice(folder.length + 1);
    mkdirSync(output);
    own(output);
    const hosts = unreachableHosts((host) => `${scheme}://someone:${secret}@${host}/a/b.mp4`);
    const stalling = {
      // It fails after five attempts.
      transport: createFtpTransport({ ...options, retryDelayMs: 1, stallTimeoutMs: 100 }),
      url: async () => `${scheme}://someone:${secret}@${silentHost}/a/b.mp4`,
    };
    const wrong = (path: string) => async () => as(`${encodeURIComponent(ftpUser.name)}:${secret}`, path);
    const noRoot = notApplicable('only root can deny access to the user of the server');
    transportContract(`${way}, against ${name}`, {
      transport: createFtpTransport({ ...options, stallTimeoutMs: 10_000 }),
      against: server.version,
      download: {
        async offer(file, bytes) {
          writeFileSync(join(folder, 'in put', file), bytes);
          own(join(folder, 'in put', file));
          return url(`in put/${file}`);
        },
        common: {
          'a wrong password': wrong('in put/plain.mp4'),
          'a missing file': async () => url('in put/missing.mp4'),
          'a file without permission': isRoot ? async () => url('closed.mp4') : noRoot,
          'a server that stalls': stalling,
          ...hosts,
        },
        errorCases: [
          { what: 'a folder', errorClass: 'DownloadFailureError', url: async () => url('in put') },
          {
            what: 'a missing folder',
            errorClass: 'FileNotFoundError',
            url: async () => url('missing/folder/a.mp4'),
          },
          {
            what: 'a name that is too long',
            errorClass: 'FileNotFoundError',
            url: async () => url(`${'n'.repeat(300)}.mp4`),
          },
          ...(isRoot
            ? [
                {
                  what: 'a file in a folder without permission',
                  errorClass: 'DownloadAccessDeniedError',
                  url: async () => url('sealed/film.mp4'),
                } as const,
              ]
            : []),
        ],
      },
      upload: {
        hasFolders: true,
        clearsFolders: true,
        urlOf: (file) => url(`${outputName}/${file}`),
        read: async (file) => (existsSync(join(output, file)) ? readFileSync(join(output, file)) : null),
        list: async () => readdirSync(output, { recursive: true, encoding: 'utf8' }).toSorted(),
        common: {
          'a wrong password': wrong(`${outputName}/a.mp4`),
          'a destination without permission': isRoot ? async () => url('closed/a.mp4') : noRoot,
          'a full destination': isRoot
            ? async () => url('full/a.mp4')
            : notApplicable('a full volume needs root'),
          'a server that stalls': stalling,
          ...hosts,
        },
        errorCases: [
          {
            what: 'a folder of its name',
            errorClass: 'UploadFailureError',
            url: async () => {
              const path = join(output, 'folder.mp4');
              mkdirSync(path, { recursive: true });
              own(path);
              return url(`${outputName}/folder.mp4`);
            },
          },
          {
            what: 'a name that is too long',
            errorClass: 'UploadFailureError',
            url: async () => url(`${outputName}/${'n'.repeat(300)}.mp4`),
          },
        ],
      },
      close: async () => {
        left.delete(way);
        if (left.size === 0) await Promise.all([silent.close(), server.close()]);
      },
    });
  }
}
