import { randomFillSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../daemon/transfer/cleanup-journal.js';
import type { Transfer } from '../daemon/transfer/transfer.js';
import { createSftpTransport } from '../daemon/transports/sftp/sftp-transport.js';
import { findProgram } from '../test/helpers/servers/find-program.js';
import { startSshd } from '../test/helpers/servers/sshd.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { assertSameFile, measureFile } from './measure-file.js';
import { runProgram } from './programs.js';

const sizeBytes = 200_000_000;

/**
 * Measures the transfer of a file of 200 MB from and to the OpenSSH server on loopback, compared with the OpenSSH
 * client on the same server.
 */
export async function measureSftp(folder: string, rounds: number): Promise<readonly Figure[]> {
  const server = await startSshd();
  const client = findProgram('sftp');
  if ('missing' in server) throw new Error(server.missing);
  if ('missing' in client) throw new Error(client.missing);
  try {
    const bytes = randomFillSync(Buffer.alloc(sizeBytes));
    const remote = join(server.folder, 'files');
    await mkdir(remote);
    server.own(remote);
    await writeFile(join(remote, 'in.mp4'), bytes);
    await writeFile(join(folder, 'out.mp4'), bytes);
    const transport = createSftpTransport({
      guard: createSsrfGuard({ allowPrivateNetwork: true }),
      stallTimeoutMs: 30_000,
      cleanupJournal: noCleanupJournal,
      key: { key: server.keyPath, passphrase: null },
      hostKeysPath: join(folder, 'known_hosts'),
      knownHostsPaths: [],
    });
    const url = (name: string) => `sftp://${server.user}@127.0.0.1:${server.port}${remote}/${name}`;
    const transfer = (): Transfer => ({ signal: new AbortController().signal, onProgress: () => undefined });
    const get = async (path: string) => transport.download?.(url('in.mp4'), path, transfer());
    const put = async () => transport.upload?.(join(folder, 'out.mp4'), url('out.mp4'), transfer());
    const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${join(folder, 'sftp-known')}`];
    const batch = async (line: string) => {
      const path = join(folder, 'batch');
      await writeFile(path, `${line}\n`);
      const flags = [...options.flatMap((option) => ['-o', option]), '-F', 'none', '-i', server.keyPath];
      const to = `${server.user}@127.0.0.1`;
      return timed(() => runProgram(client.path, [...flags, '-P', String(server.port), '-b', path, to]));
    };
    let turn = 0;
    const fresh = () => {
      turn += 1;
      return join(folder, `in-${turn}.mp4`);
    };
    const sent = await measureFile(join(remote, 'in.mp4'));
    const timedDownload = async (work: (path: string) => Promise<number>) => {
      const path = fresh();
      const took = await work(path);
      await assertSameFile(sent, path);
      await rm(path);
      return took;
    };
    const timedUpload = async (name: string, work: () => Promise<number>) => {
      const took = await work();
      await assertSameFile(sent, join(remote, name));
      await rm(join(remote, name));
      return took;
    };
    const samples = await alternate(rounds, {
      down: () => timedDownload((path) => timed(() => get(path))),
      'sftp down': () => timedDownload((path) => batch(`get ${remote}/in.mp4 ${path}`)),
      up: () => timedUpload('out.mp4', () => timed(put)),
      'sftp up': () =>
        timedUpload('out-reference.mp4', () =>
          batch(`put ${join(folder, 'out.mp4')} ${remote}/out-reference.mp4`),
        ),
    });
    return [
      figure('200 MB in over SFTP, compared with sftp', samples.down, samples['sftp down']),
      figure('200 MB out over SFTP, compared with sftp', samples.up, samples['sftp up']),
    ];
  } finally {
    await server.close();
  }
}

function figure(name: string, own: readonly number[], reference: readonly number[]): Figure {
  const [ours, theirs] = [own, reference].map((all) => `${spreadOf(all).median.toFixed(0)} ms`);
  const value = spreadOf(ratiosOf(own, reference));
  return { name, unit: 'x', value, atMost: 1.3, basis: `${ours}, sftp ${theirs}` };
}
