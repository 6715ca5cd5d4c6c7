import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listRecursively } from '../temp.js';
import { ftpLogin, ftpUser } from './ftp-server-folder.js';
import type { MissingProgram } from './program.js';
import { pathInUrl, type StorageLocation, spellings } from './storage-location.js';
import { startVsftpd } from './vsftpd.js';

/** Folders on an FTP server, unencrypted and with implicit TLS; or what is missing for one. `settings` are those of vsftpd. */
export async function ftpLocations(
  settings: readonly string[] = [],
): Promise<readonly [ftp: StorageLocation, ftps: StorageLocation] | MissingProgram> {
  const server = await startVsftpd(settings);
  if ('missing' in server) return server;
  const { folder, version } = server;
  const location = (scheme: 'ftp' | 'ftps', port: number): StorageLocation => ({
    scheme,
    against: version,
    async offer(name, bytes) {
      writeFileSync(join(folder, 'in put', name), bytes);
      return `${scheme}://${ftpLogin}@127.0.0.1:${port}/in%20put/${pathInUrl(name)}`;
    },
    urlOf: (name) => `${scheme}://${ftpLogin}@127.0.0.1:${port}/out/${pathInUrl(`${scheme}/${name}`)}`,
    read: (name) => readFile(join(folder, 'out', scheme, name)).catch(() => null),
    list: () => listRecursively(join(folder, 'out')),
    secrets: spellings(ftpUser.password),
    env: {},
    end: async () => undefined,
  });
  return [{ ...location('ftp', server.port), end: server.close }, location('ftps', server.implicitPort)];
}
