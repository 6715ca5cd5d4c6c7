import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { alternate, type Figure, ratiosOf, spreadOf } from './measure.js';

const fileBytes = 500_000_000;

interface Sample {
  readonly ms: number;
  readonly peakMegabytes: number;
}

/**
 * Measures the upload of a large file in parts to an S3 server, compared with the SDK itself, each in a separate
 * process.
 */
export async function measureS3(folder: string, rounds: number): Promise<readonly Figure[]> {
  const path = join(folder, 'film.mp4');
  await makeFile(path);
  const objects = join(folder, 'objects');
  await mkdir(objects);
  const server = spawn(process.execPath, [programAt('s3-server'), objects], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const endpoint = await firstLineOf(server);
    const upload = (way: string) => async (): Promise<Sample> => {
      const args = ['--no-warnings', programAt('s3-upload'), way, endpoint, path, `${fileBytes}`];
      return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
    };
    const { venc, sdk } = await alternate(rounds, { venc: upload('venc'), sdk: upload('sdk') });
    const ms = (samples: readonly Sample[]) => samples.map((sample) => sample.ms);
    const peak = (samples: readonly Sample[]) => spreadOf(samples.map((sample) => sample.peakMegabytes));
    const median = (samples: readonly Sample[]) => Math.round(spreadOf(ms(samples)).median);
    return [
      {
        name: 's3 upload of 500 MB, compared with the SDK',
        unit: 'x',
        value: spreadOf(ratiosOf(ms(venc), ms(sdk))),
        atMost: 1.3,
        basis: `${median(venc)} ms, the SDK ${median(sdk)} ms`,
      },
      {
        name: 's3 upload of 500 MB, peak memory',
        unit: 'MB',
        value: peak(venc),
        atMost: 250,
        basis: `resident at its peak; the SDK: ${Math.round(peak(sdk).median)} MB`,
      },
    ];
  } finally {
    const ended = once(server, 'close');
    server.kill();
    await ended;
  }
}

async function makeFile(path: string): Promise<void> {
  const block = randomBytes(10_000_000);
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < fileBytes; written += block.byteLength) await file.writeFile(block);
  } finally {
    await file.close();
  }
}

function programAt(name: string): string {
  return fileURLToPath(new URL(`./${name}.js`, import.meta.url));
}

async function firstLineOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('the server has no stdout');
  const [line] = (await once(createInterface(stdout), 'line')) as [string];
  return line;
}
