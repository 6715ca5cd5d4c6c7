import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { routePath } from '../src/shared/routes.js';
import { makeWaitingJobs } from '../test/helpers/make-jobs.js';
import { startDaemon } from './daemon.js';
import { alternate, type Figure, spreadOf } from './measure.js';
import { cpuSecondsOf } from './programs.js';

const jobCount = 10_000;
/** Long enough for the work of the start to end. */
const settleMs = 5000;
const measuredMs = 30_000;

/** Measures the processor time of a daemon with 10,000 waiting jobs that is paused, and of one that waits for an idle machine. */
export async function measurePaused(folder: string, rounds: number): Promise<readonly Figure[]> {
  const data = join(folder, 'data');
  makeWaitingJobs(data, jobCount);
  await pause(data, folder);
  const { paused, busy } = await alternate(rounds, {
    paused: () => percentOfCore(data, folder, []),
    busy: () => percentOfCore(data, folder, ['--when-idle', '0']),
  });
  const figure = (what: string, samples: readonly number[]): Figure => ({
    name: `${jobCount.toLocaleString('en')} waiting jobs: ${what}`,
    unit: '%',
    value: spreadOf(samples),
    atMost: 0.5,
    basis: `of a core, over ${measuredMs / 1000} s`,
  });
  return [figure('paused', paused), figure('paused, with --when-idle', busy)];
}

/** Pauses the daemon of a data folder, before it could start a job. */
async function pause(data: string, folder: string): Promise<void> {
  const daemon = await startDaemon(data, folder, ['--jobs', '0']);
  const headers = { 'Service-Api-Key': daemon.env.VENC_API_KEY ?? '' };
  const response = await fetch(`${daemon.url}${routePath('pauseQueue')}`, { method: 'PUT', headers });
  await daemon.stop();
  if (response.status !== 200) throw new Error(`a pause was answered with ${response.status}`);
}

async function percentOfCore(data: string, folder: string, flags: readonly string[]): Promise<number> {
  const daemon = await startDaemon(data, folder, ['--jobs', '1', ...flags]);
  try {
    await sleep(settleMs);
    const before = await cpuSecondsOf(daemon.pid);
    await sleep(measuredMs);
    return ((await cpuSecondsOf(daemon.pid)) - before) / (measuredMs / 100_000);
  } finally {
    await daemon.stop();
  }
}
