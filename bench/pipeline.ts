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
import { ffmpegAtHand } from './one-job.js';

const jobs = 8;
const atOnce = 2;

/**
 * Eight jobs whose inputs each take as long to come as one of them takes to be encoded, two encoded at once, from the first submission
 * until all are finished; beside the same eight with their inputs on the disk. What it takes where two whole jobs go on at once,
 * each downloaded only when another one has ended, is there to be known.
 */
export async function measurePipeline(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = await makeClip((await ffmpegAtHand()).ffmpeg.path, folder, {
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
    server.take(encodeMs);
    const samples = await alternate(rounds, {
      pipeline: () => timed(() => atOnceOf(daemon, server.url, jobs)),
      alone: () => timed(() => atOnceOf(daemon, local, jobs)),
      whole: () => timed(() => atOnceOf(daemon, server.url, atOnce)),
    });
    // As long as they take where two are encoded at once: the first download alone is a fourth of all encoding then.
    server.take((spreadOf(samples.alone).median / jobs) * atOnce);
    const long = await alternate(1, { pipeline: () => timed(() => atOnceOf(daemon, server.url, jobs)) });
    const seconds = (ms: readonly number[]) => `${(spreadOf(ms).median / 1000).toFixed(1)} s`;
    const beside = `encodes alone ${seconds(samples.alone)}`;
    return [
      {
        name: `${jobs} jobs, downloads as long as encodes`,
        unit: 'x',
        value: spreadOf(ratiosOf(samples.pipeline, samples.alone)),
        atMost: 1.25,
        basis: `${seconds(samples.pipeline)}, ${beside}; each ${seconds([encodeMs])}`,
      },
      {
        name: '  the same, two whole jobs at once',
        unit: 'x',
        value: spreadOf(ratiosOf(samples.whole, samples.alone)),
        atMost: null,
        basis: `${seconds(samples.whole)}, ${beside}`,
      },
      {
        name: '  downloads as long as two encodes side by side',
        unit: 'x',
        value: spreadOf(long.pipeline.map((ms) => ms / spreadOf(samples.alone).median)),
        atMost: null,
        basis: `${seconds(long.pipeline)}, ${beside}`,
      },
    ];
  } finally {
    await server.close();
    await daemon.stop();
  }
}

/** Has the jobs done, so many submitted at once: another one when one has ended. */
async function atOnceOf(daemon: BenchDaemon, input: string, submitted: number): Promise<void> {
  let left = jobs;
  const runJobs = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await daemon.runJob(input);
    }
  };
  await Promise.all(Array.from({ length: submitted }, runJobs));
}

/** A server of one file, at an even pace for each request whatever others there are. It knows no ranges. */
interface SlowServer {
  readonly url: string;
  /** How long the whole file takes from now on. */
  take(ms: number): void;
  close(): Promise<void>;
}

async function startSlowServer(path: string): Promise<SlowServer> {
  const { size } = await stat(path);
  let fileMs = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': size });
    const file = createReadStream(path, { highWaterMark: 16 * 1024 });
    const send = async (pieces: Readable): Promise<void> => {
      const begun = performance.now();
      let sent = 0;
      for await (const chunk of pieces) {
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
    take(ms) {
      fileMs = ms;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
