import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { createHttpTransport } from '../daemon/transports/http/http-transport.js';
import { findProgram } from '../test/helpers/servers/find-program.js';
import { startNginx } from '../test/helpers/servers/nginx.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { assertSameFile, type FileDigest, measureFile } from './measure-file.js';
import { runProgram } from './programs.js';
import { makeTransferFile, measureTransfer, startTransferProcess, transferBytes } from './transfer-cost.js';

const bytesPerSecond = 4_000_000;
const connections = 5;
const limitedBytes = 60_000_000;

/**
 * Measures downloads over HTTP from an nginx on this machine: 400 MB at full speed compared with curl, which computes
 * no checksum; and 60 MB at 4 MB/s per connection compared with aria2c, both with five connections. The file is
 * checksummed while it is downloaded, as for a job.
 */
export async function measureDownload(folder: string, rounds: number): Promise<readonly Figure[]> {
  return [
    ...(await measureFullSpeed(folder, rounds)),
    await measureLimited(folder, Math.min(rounds, maxSlowRounds)),
  ];
}

/** Measures only the download at full speed. */
export async function measureFullSpeed(
  folder: string,
  rounds: number,
  bytes = transferBytes,
): Promise<readonly Figure[]> {
  const curl = findProgram('curl');
  if ('missing' in curl) throw new Error(curl.missing);
  const nginx = await startNginx();
  if ('missing' in nginx) throw new Error(nginx.missing);
  const venc = startTransferProcess();
  try {
    const [input, target] = [join(nginx.folder, 'film'), join(folder, 'fast-film')];
    await makeTransferFile(input, bytes);
    const sent = await measureFile(input);
    const url = nginx.url('plain', 'film');
    return await measureTransfer(rounds, {
      name: 'in over HTTP',
      bytes,
      peer: 'curl',
      ours: () => venc.run({ direction: 'in', url, path: target }),
      theirs: () => runProgram(curl.path, ['-s', '-S', '-f', '-o', target, url]),
      async check() {
        await assertSameFile(sent, target);
        await rm(target);
      },
      atMost: { ms: 1.1, cpu: 2.9, cpuWithoutMd5: 1.4 },
    });
  } finally {
    await venc.stop();
    await nginx.close();
  }
}

async function measureLimited(folder: string, rounds: number): Promise<Figure> {
  const aria2c = findProgram('aria2c');
  if ('missing' in aria2c) throw new Error(aria2c.missing);
  const nginx = await startNginx({ bytesPerSecond });
  if ('missing' in nginx) throw new Error(nginx.missing);
  try {
    await makeTransferFile(join(nginx.folder, 'film'), limitedBytes);
    const url = nginx.url('limited', 'film');
    const sent = await measureFile(join(nginx.folder, 'film'));
    const into = (name: string, work: (folder: string) => Promise<unknown>) => () =>
      timedInto(join(folder, name), sent, work);
    const ariaArgs = ['-x5', '-s5', '-k1M', '--allow-overwrite=true', '--no-conf', '--quiet=true'];
    const limited = await alternate(rounds, {
      venc: into('venc', (to) => download(url, to)),
      aria2c: into('aria2c', (to) => runProgram(aria2c.path, [...ariaArgs, '-d', to, url])),
    });
    return figureOf('http: 60 MB, 5 connections at 4 MB/s', 'aria2c', 1.15, limited.venc, limited.aria2c);
  } finally {
    await nginx.close();
  }
}

/** A round of these takes ten seconds. */
const maxSlowRounds = 3;

async function timedInto(
  folder: string,
  sent: FileDigest,
  work: (folder: string) => Promise<unknown>,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const ms = await timed(() => work(folder));
  await assertSameFile(sent, join(folder, 'film'));
  await rm(folder, { recursive: true });
  return ms;
}

function download(url: string, folder: string): Promise<unknown> {
  const transport = createHttpTransport({
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    stallTimeoutMs: 20_000,
  });
  const transfer = { connections, signal: new AbortController().signal, onProgress: () => undefined };
  return Promise.resolve(transport.download?.(url, join(folder, 'film'), transfer));
}

function figureOf(
  name: string,
  otherName: string,
  atMost: number,
  own: readonly number[],
  other: readonly number[],
): Figure {
  const seconds = (samples: readonly number[]) => (spreadOf(samples).median / 1_000).toFixed(2);
  return {
    name,
    unit: 'x',
    value: spreadOf(ratiosOf(own, other)),
    atMost,
    basis: `${seconds(own)} s, ${otherName} ${seconds(other)} s`,
  };
}
