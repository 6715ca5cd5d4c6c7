import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { createHttpTransport } from '../daemon/transports/http/http-transport.js';
import { findPrograms } from '../test/helpers/servers/find-program.js';
import { startNginx } from '../test/helpers/servers/nginx.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { assertSameFile, type FileDigest, measureFile } from './measure-file.js';
import { runProgram } from './programs.js';

const fileBytes = 200_000_000;
const bytesPerSecond = 8_000_000;
const connections = 5;

/**
 * Measures the download of 200 MB over HTTP from an nginx on this machine: at 8 MB/s per connection compared with
 * aria2c, both with five connections; and at full speed compared with curl, which computes no checksum. The file is
 * checksummed while it is downloaded, as for a job.
 */
export async function measureDownload(folder: string, rounds: number): Promise<readonly Figure[]> {
  const found = findPrograms('aria2c', 'curl');
  if ('missing' in found) throw new Error(found.missing);
  const nginx = await startNginx({ bytesPerSecond });
  if ('missing' in nginx) throw new Error(nginx.missing);
  try {
    await makeFile(join(nginx.folder, 'film'));
    const { aria2c, curl } = found;
    const fast = nginx.url('plain', 'film');
    const slow = nginx.url('limited', 'film');
    const sent = await measureFile(join(nginx.folder, 'film'));
    const into = (name: string, work: (folder: string) => Promise<unknown>) => () =>
      timedInto(join(folder, name), sent, work);
    const unlimited = await alternate(rounds, {
      venc: into('venc', (to) => download(fast, to)),
      curl: into('curl', (to) => runProgram(curl.path, ['-s', '-S', '-f', '-o', join(to, 'film'), fast])),
    });
    const ariaArgs = ['-x5', '-s5', '-k1M', '--allow-overwrite=true', '--no-conf', '--quiet=true'];
    const limited = await alternate(Math.min(rounds, maxSlowRounds), {
      venc: into('venc', (to) => download(slow, to)),
      aria2c: into('aria2c', (to) => runProgram(aria2c.path, [...ariaArgs, '-d', to, slow])),
    });
    return [
      figureOf('http: 200 MB, 5 connections at 8 MB/s', 'aria2c', 1.15, limited.venc, limited.aria2c),
      figureOf('http: 200 MB at full speed', 'curl', 1.3, unlimited.venc, unlimited.curl),
    ];
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

/** Writes varying bytes, so that no program can skip any. */
async function makeFile(path: string): Promise<void> {
  const chunk = Buffer.alloc(1_000_000, 'venc');
  const handle = await open(path, 'w');
  for (let at = 0; at < fileBytes; at += chunk.byteLength) {
    chunk.writeUInt32BE(at, 0);
    await handle.write(chunk);
  }
  await handle.close();
}
