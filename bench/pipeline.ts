import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';

const jobs = 8;
const atOnce = 2;

/**
 * Measures eight jobs whose downloads each take as long as the encode of one, with two encoded concurrently, from the
 * first submission until all are finished; compared with the same eight jobs with local inputs. The time of running
 * only two whole jobs at once, each downloaded only when another one has ended, is reported without a target.
 */
export async function measurePipeline(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = await makeClip((await requireFfmpeg()).ffmpeg.path, folder, {
    size: '1280x720',
    seconds: 4,
    megabits: 5,
  });
  const local = pathToFileURL(clip).href;
  const daemon = await startDaemon(join(folder, 'data'), folder, ['--jobs', String(atOnce)]);
  const server = await startSlowServer(clip);
  try {
    await daemon.runJob(local);
    const encodeMs = spreadOf([
      await timed(() => daemon.runJob(local)),
      await timed(() => daemon.runJob(local)),
      await timed(() => daemon.runJob(local)),
    ]).median;
    server.setDuration(encodeMs);
    const samples = await alternate(rounds, {
      pipeline: () => timed(() => runConcurrently(daemon, server.url, jobs)),
      local: () => timed(() => runConcurrently(daemon, local, jobs)),
      whole: () => timed(() => runConcurrently(daemon, server.url, atOnce)),
    });
    // Two encodes at once: the first download then takes a fourth of the total encoding time.
    server.setDuration((spreadOf(samples.local).median / jobs) * atOnce);
    const long = await alternate(1, {
      pipeline: () => timed(() => runConcurrently(daemon, server.url, jobs)),
    });
    const seconds = (ms: readonly number[]) => `${(spreadOf(ms).median / 1000).toFixed(1)} s`;
    const reference = `encodes of local inputs ${seconds(samples.local)}`;
    return [
      {
        name: `${jobs} jobs, downloads as long as encodes`,
        unit: 'x',
        value: spreadOf(ratiosOf(samples.pipeline, samples.local)),
        atMost: 1.25,
        basis: `${seconds(samples.pipeline)}, ${reference}; each ${seconds([encodeMs])}`,
      },
      {
        name: '  the same, two whole jobs at once',
        unit: 'x',
        value: spreadOf(ratiosOf(samples.whole, samples.local)),
        atMost: null,
        basis: `${seconds(samples.whole)}, ${reference}`,
      },
      {
        name: '  downloads as long as two concurrent encodes',
        unit: 'x',
        value: spreadOf(long.pipeline.map((ms) => ms / spreadOf(samples.local).median)),
        atMost: null,
        basis: `${seconds(long.pipeline)}, ${reference}`,
      },
    ];
  } finally {
    await server.close();
    await daemon.stop();
  }
}

/** Runs the jobs with `submitted` in progress at a time; the next one is submitted when one ends. */
async function runConcurrently(daemon: BenchDaemon, input: string, submitted: number): Promise<void> {
  let left = jobs;
  const runJobs = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await daemon.runJob(input);
    }
  };
  await Promise.all(Array.from({ length: submitted }, runJobs));
}

/**
 * A server of one file that sends at a constant rate per request, independent of other requests. It does not support
 * byte ranges.
 */
export interface SlowServer {
  readonly url: string;
  /** Sets the time that sending the whole file takes. */
  setDuration(ms: number): void;
  close(): Promise<void>;
}

/** Starts a server that sends the file at this path. */
export async function startSlowServer(path: string): Promise<SlowServer> {
  const { size } = await stat(path);
  let fileMs = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': size });
    const file = createReadStream(path, { highWaterMark: 16 * 1024 });
    const send = async (chunks: Readable): Promise<void> => {
      const begun = performance.now();
      let sent = 0;
      for await (const chunk of chunks) {
        sent += chunk.length;
        const dueMs = begun + (sent / size) * fileMs - performance.now();
        if (dueMs > 1) await sleep(dueMs);
        if (response.destroyed) return;
        response.write(chunk);
      }
      response.end();
    };
    send(file).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/clip.mp4`,
    setDuration(ms) {
      fileMs = ms;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
