import { chownSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../test/helpers/servers/find-program.js';
import { ftpLogin, ftpUser } from '../test/helpers/servers/ftp-server-folder.js';
import { startVsftpd } from '../test/helpers/servers/vsftpd.js';
import type { Figure } from './measure.js';
import { assertSameFile, measureFile } from './measure-file.js';
import { runProgram } from './programs.js';
import { makeTransferFile, measureTransfer, startTransferProcess, transferBytes } from './transfer-cost.js';

/**
 * Measures the transfer of a file of 400 MB from and to vsftpd on loopback, compared with curl on the same server.
 */
export async function measureFtp(
  folder: string,
  rounds: number,
  bytes = transferBytes,
): Promise<readonly Figure[]> {
  const server = await startVsftpd();
  const curl = findProgram('curl');
  if ('missing' in server) throw new Error(server.missing);
  if ('missing' in curl) throw new Error(curl.missing);
  const venc = startTransferProcess();
  try {
    const [input, output, target] = [
      join(server.folder, 'in put', 'in.mp4'),
      join(folder, 'out.mp4'),
      join(folder, 'in.mp4'),
    ];
    await makeTransferFile(input, bytes);
    await copyFile(input, output);
    chownSync(input, ftpUser.uid, ftpUser.gid);
    const sent = await measureFile(input);
    const url = (path: string) => `ftp://${ftpLogin}@127.0.0.1:${server.port}/${path}`;
    const from = url('in%20put/in.mp4');
    const checked = async (path: string) => {
      await assertSameFile(sent, path);
      await rm(path);
    };
    return [
      ...(await measureTransfer(rounds, {
        name: 'in over FTP',
        bytes,
        peer: 'curl',
        ours: () => venc.run({ direction: 'in', url: from, path: target }),
        theirs: () => runProgram(curl.path, ['-sS', '-o', target, from]),
        check: () => checked(target),
        atMost: { ms: 1.1, cpu: 2.7, cpuWithoutMd5: 1.3 },
      })),
      ...(await measureTransfer(rounds, {
        name: 'out over FTP',
        bytes,
        peer: 'curl',
        ours: () => venc.run({ direction: 'out', url: url('out/ours.mp4'), path: output }),
        theirs: () => runProgram(curl.path, ['-sS', '-T', output, url('out/theirs.mp4')]),
        check: (by) => checked(join(server.folder, 'out', `${by}.mp4`)),
        atMost: { ms: 1.2, cpu: 8, cpuWithoutMd5: 2.4 },
      })),
      ...(await measureTransfer(rounds, {
        name: 'out over FTP, MD5 known',
        bytes,
        peer: 'curl',
        ours: () => venc.run({ direction: 'out', url: url('out/ours.mp4'), path: output, facts: sent }),
        theirs: () => runProgram(curl.path, ['-sS', '-T', output, url('out/theirs.mp4')]),
        check: (by) => checked(join(server.folder, 'out', `${by}.mp4`)),
        atMost: { ms: 1.2, cpu: 1.65, cpuWithoutMd5: null },
      })),
    ];
  } finally {
    await venc.stop();
    await server.close();
  }
}
