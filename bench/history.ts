import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { routePath } from '../src/shared/routes.js';
import { makeJobs, makeWaitingJobs } from '../test/helpers/make-jobs.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { alternate, type Figure, spreadOf, timed } from './measure.js';
import { cpuSecondsOf, peakMegabytesOf, residentMegabytesOf } from './programs.js';

/** Long enough for the engine to collect the garbage of the start. */
const settleMs = 3000;
const pagesRead = 200;

/** What a number of finished jobs may cost. */
interface Targets {
  readonly count: number;
  readonly residentMegabytes: number;
  readonly readyMs: number;
}

/** Measures a daemon with 100,000 finished jobs. */
export function measureHistory(folder: string, rounds: number): Promise<readonly Figure[]> {
  return measure(folder, rounds, { count: 100_000, residentMegabytes: 250, readyMs: 2000 });
}

/** Measures a daemon with a million finished jobs, whose files take 5 GB. */
export function measureLongHistory(folder: string, rounds: number): Promise<readonly Figure[]> {
  return measure(folder, rounds, { count: 1_000_000, residentMegabytes: 1000, readyMs: 5000 });
}

const waitingJobs = 100_000;

/** Measures the start of a daemon with 100,000 waiting jobs until the answer to the first list, and that of an empty one. */
export async function measureWaiting(folder: string, rounds: number): Promise<readonly Figure[]> {
  const data = join(folder, 'data');
  makeWaitingJobs(data, waitingJobs);
  const sample = (dataFolder: string) => async () => {
    const { daemon, readyMs } = await start(dataFolder, folder, ['--jobs', '0']);
    try {
      const cpuMs = (await cpuSecondsOf(daemon.pid)) * 1000;
      return { readyMs, cpuMs, peakMegabytes: await peakMegabytesOf(daemon.pid) };
    } finally {
      await daemon.stop();
    }
  };
  const { waiting, empty } = await alternate(rounds, {
    waiting: sample(data),
    empty: sample(join(folder, 'empty')),
  });
  const figure = (key: 'readyMs' | 'cpuMs' | 'peakMegabytes', what: string, atMost: number): Figure => ({
    name: `${waitingJobs.toLocaleString('en')} waiting jobs: ${what}`,
    unit: key === 'peakMegabytes' ? 'MB' : 'ms',
    value: spreadOf(waiting.map((one) => one[key])),
    atMost,
    basis: `${Math.round(spreadOf(empty.map((one) => one[key])).median)} without jobs`,
  });
  return [
    figure('readyMs', 'ready', 5000),
    figure('cpuMs', 'processor time', 6000),
    figure('peakMegabytes', 'peak memory', 600),
  ];
}

/**
 * Measures how long a start takes until the first list is answered, without an index of the jobs and with one, and how
 * much memory the daemon has then, and after two hundred pages of the list.
 */
async function measure(folder: string, rounds: number, targets: Targets): Promise<readonly Figure[]> {
  const { count } = targets;
  const emptyMegabytes = await residentWithoutJobs(join(folder, 'empty'), folder);
  const data = join(folder, 'data');
  const dayMs = 86_400_000;
  makeJobs(data, {
    count,
    firstEnd: new Date(Date.now() - 365 * dayMs),
    lastEnd: new Date(Date.now() - dayMs),
  });
  const first = await start(data, folder);
  const stopMs = await timed(() => first.daemon.stop());
  const ready: number[] = [];
  const resident: number[] = [];
  const afterReads: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { daemon, readyMs } = await start(data, folder);
    try {
      ready.push(readyMs);
      await sleep(settleMs);
      resident.push(await residentMegabytesOf(daemon.pid));
      for (let page = 1; page <= pagesRead; page += 1) await list(daemon, page * 4);
      afterReads.push(await residentMegabytesOf(daemon.pid));
      peaks.push(await peakMegabytesOf(daemon.pid));
    } finally {
      await daemon.stop();
    }
  }
  const name = `${count.toLocaleString('en')} jobs`;
  const figure = (
    what: string,
    unit: Figure['unit'],
    samples: readonly number[],
    atMost: number | null,
    basis: string,
  ): Figure => ({ name: `${name}: ${what}`, unit, value: spreadOf(samples), atMost, basis });
  const kilobytesPerJob = resident.map((megabytes) => ((megabytes - emptyMegabytes) * 1000) / count);
  return [
    figure('ready', 'ms', ready, targets.readyMs, 'from the start to the answer to the first list'),
    figure(
      'ready without an index',
      'ms',
      [first.readyMs],
      null,
      `reads every job; stopped in ${Math.round(stopMs)} ms`,
    ),
    figure(
      'memory',
      'MB',
      resident,
      targets.residentMegabytes,
      `resident; ${emptyMegabytes.toFixed(0)} MB without jobs`,
    ),
    figure('memory per job', 'KB', kilobytesPerJob, 1, 'resident, less that of a daemon without jobs'),
    figure(
      `memory after ${pagesRead} pages`,
      'MB',
      afterReads,
      targets.residentMegabytes,
      'resident; lists and details of jobs',
    ),
    figure('peak memory', 'MB', peaks, null, 'resident'),
  ];
}

async function residentWithoutJobs(data: string, folder: string): Promise<number> {
  const { daemon } = await start(data, folder);
  try {
    await sleep(settleMs);
    return await residentMegabytesOf(daemon.pid);
  } finally {
    await daemon.stop();
  }
}

async function start(
  data: string,
  folder: string,
  flags: readonly string[] = [],
): Promise<{ readonly daemon: BenchDaemon; readonly readyMs: number }> {
  const before = performance.now();
  const daemon = await startDaemon(data, folder, flags);
  await list(daemon, 1);
  return { daemon, readyMs: performance.now() - before };
}

async function list({ url, env }: BenchDaemon, page: number): Promise<void> {
  const headers = { 'Service-Api-Key': env.VENC_API_KEY ?? '' };
  const response = await fetch(`${url}${routePath('listJobs')}?page=${page}`, { headers });
  if (response.status !== 200) throw new Error(`a list responded with ${response.status}`);
  await response.arrayBuffer();
}
