import { randomFillSync } from 'node:crypto';
import { chownSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../daemon/transfer/cleanup-journal.js';
import type { Transfer } from '../daemon/transfer/transfer.js';
import { createFtpTransport } from '../daemon/transports/ftp/ftp-transport.js';
import { findProgram } from '../test/helpers/servers/find-program.js';
import { ftpLogin, ftpUser } from '../test/helpers/servers/ftp-server-folder.js';
import { startVsftpd } from '../test/helpers/servers/vsftpd.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { assertSameFile, measureFile } from './measure-file.js';
import { runProgram } from './programs.js';

const sizeBytes = 200_000_000;

/**
 * Measures the transfer of a file of 200 MB from and to vsftpd on loopback, compared with curl on the same server.
 */
export async function measureFtp(folder: string, rounds: number): Promise<readonly Figure[]> {
  const server = await startVsftpd();
  const curl = findProgram('curl');
  if ('missing' in server) throw new Error(server.missing);
  if ('missing' in curl) throw new Error(curl.missing);
  try {
    const bytes = randomFillSync(Buffer.alloc(sizeBytes));
    const input = join(server.folder, 'in put', 'in.mp4');
    await writeFile(input, bytes);
    chownSync(input, ftpUser.uid, ftpUser.gid);
    await writeFile(join(folder, 'out.mp4'), bytes);
    const transport = createFtpTransport({
      guard: createSsrfGuard({ allowPrivateNetwork: true }),
      stallTimeoutMs: 30_000,
      cleanupJournal: noCleanupJournal,
    });
    const url = (path: string) => `ftp://${ftpLogin}@127.0.0.1:${server.port}/${path}`;
    const transfer = (): Transfer => ({ signal: new AbortController().signal, onProgress: () => undefined });
    const target = join(folder, 'in.mp4');
    const sent = await measureFile(input);
    const timedDownload = async (work: () => Promise<unknown>) => {
      await rm(target, { force: true });
      const took = await timed(work);
      await assertSameFile(sent, target);
      return took;
    };
    const timedUpload = async (name: string, work: (to: string) => Promise<unknown>) => {
      const took = await timed(() => work(url(`out/${name}`)));
      await assertSameFile(sent, join(server.folder, 'out', name));
      return took;
    };
    const samples = await alternate(rounds, {
      down: () => timedDownload(async () => transport.download?.(url('in%20put/in.mp4'), target, transfer())),
      'curl down': () =>
        timedDownload(() => runProgram(curl.path, ['-sS', '-o', target, url('in%20put/in.mp4')])),
      up: () =>
        timedUpload('ours.mp4', async (to) => transport.upload?.(join(folder, 'out.mp4'), to, transfer())),
      'curl up': () =>
        timedUpload('theirs.mp4', (to) => runProgram(curl.path, ['-sS', '-T', join(folder, 'out.mp4'), to])),
    });
    return [
      figure('200 MB in over FTP, compared with curl', samples.down, samples['curl down']),
      figure('200 MB out over FTP, compared with curl', samples.up, samples['curl up']),
    ];
  } finally {
    await server.close();
  }
}

function figure(name: string, own: readonly number[], reference: readonly number[]): Figure {
  const [ours, theirs] = [own, reference].map((all) => `${spreadOf(all).median.toFixed(0)} ms`);
  const value = spreadOf(ratiosOf(own, reference));
  return { name, unit: 'x', value, atMost: 1.3, basis: `${ours}, curl ${theirs}` };
}
