import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../test/helpers/servers/find-program.js';
import { startSshd } from '../test/helpers/servers/sshd.js';
import type { Figure } from './measure.js';
import { assertSameFile, measureFile } from './measure-file.js';
import { runProgram } from './programs.js';
import { makeTransferFile, measureTransfer, startTransferProcess, transferBytes } from './transfer-cost.js';

/**
 * Measures the transfer of a file of 400 MB from and to the OpenSSH server on loopback, compared with the OpenSSH
 * client on the same server.
 */
export async function measureSftp(
  folder: string,
  rounds: number,
  bytes = transferBytes,
): Promise<readonly Figure[]> {
  const server = await startSshd();
  const client = findProgram('sftp');
  if ('missing' in server) throw new Error(server.missing);
  if ('missing' in client) throw new Error(client.missing);
  const venc = startTransferProcess(server.keyPath, join(folder, 'known_hosts'));
  try {
    const remote = join(server.folder, 'files');
    await mkdir(remote);
    server.own(remote);
    const [input, output, target] = [join(remote, 'in.mp4'), join(folder, 'out.mp4'), join(folder, 'in.mp4')];
    await makeTransferFile(input, bytes);
    await copyFile(input, output);
    const sent = await measureFile(input);
    const url = (name: string) => `sftp://${server.user}@127.0.0.1:${server.port}${remote}/${name}`;
    const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${join(folder, 'sftp-known')}`];
    const batch = async (line: string) => {
      const path = join(folder, 'batch');
      await writeFile(path, `${line}\n`);
      const flags = [...options.flatMap((option) => ['-o', option]), '-F', 'none', '-i', server.keyPath];
      const to = `${server.user}@127.0.0.1`;
      await runProgram(client.path, [...flags, '-P', String(server.port), '-b', path, to]);
    };
    const checked = async (path: string) => {
      await assertSameFile(sent, path);
      await rm(path);
    };
    return [
      ...(await measureTransfer(rounds, {
        name: 'in over SFTP',
        bytes,
        peer: 'sftp',
        ours: () => venc.run({ direction: 'in', url: url('in.mp4'), path: target }),
        theirs: () => batch(`get ${input} ${target}`),
        check: () => checked(target),
        atMost: { ms: 1.3, cpu: 2.6, cpuWithoutMd5: 1.55 },
      })),
      ...(await measureTransfer(rounds, {
        name: 'out over SFTP',
        bytes,
        peer: 'sftp',
        ours: () => venc.run({ direction: 'out', url: url('ours.mp4'), path: output }),
        theirs: () => batch(`put ${output} ${remote}/theirs.mp4`),
        check: (by) => checked(join(remote, `${by}.mp4`)),
        atMost: { ms: 1.3, cpu: 3, cpuWithoutMd5: 1.75 },
      })),
      ...(await measureTransfer(rounds, {
        name: 'out over SFTP, MD5 known',
        bytes,
        peer: 'sftp',
        ours: () => venc.run({ direction: 'out', url: url('ours.mp4'), path: output, facts: sent }),
        theirs: () => batch(`put ${output} ${remote}/theirs.mp4`),
        check: (by) => checked(join(remote, `${by}.mp4`)),
        atMost: { ms: 1.3, cpu: 1.75, cpuWithoutMd5: null },
      })),
    ];
  } finally {
    await venc.stop();
    await server.close();
  }
}
