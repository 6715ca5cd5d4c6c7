import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startDaemon } from './daemon.js';
import { type Figure, spreadOf } from './measure.js';
import { makeClip } from './media.js';
import { ffmpegAtHand } from './one-job.js';
import { residentMegabytesOf } from './proc.js';

// Long enough for what a start and a job leave to be collected, if the engine cares to.
const settleMs = 2000;

/** What a daemon holds in memory while it has nothing to do: after its start, and after it has done a job. */
export async function measureIdle(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = await makeClip((await ffmpegAtHand()).ffmpeg.path, folder);
  const fresh: number[] = [];
  const afterWork: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const daemon = await startDaemon(join(folder, `data-${round}`), folder);
    try {
      await sleep(settleMs);
      fresh.push(await residentMegabytesOf(daemon.pid));
      await daemon.runJob(pathToFileURL(clip).href);
      await sleep(settleMs);
      afterWork.push(await residentMegabytesOf(daemon.pid));
    } finally {
      await daemon.stop();
    }
  }
  const figure = (name: string, samples: readonly number[]): Figure => ({
    name,
    unit: 'MB',
    value: spreadOf(samples),
    atMost: 90,
    basis: 'resident',
  });
  return [figure('daemon at rest, started', fresh), figure('daemon at rest, after a job', afterWork)];
}
