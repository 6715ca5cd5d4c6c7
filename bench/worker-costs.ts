import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { draftJob } from '../daemon/jobs/draft.js';
import { defaultAccountId, type Job } from '../daemon/jobs/job.js';
import type { ClaimAnswer } from '../daemon/jobs/worker-protocol.js';
import { writeJobs } from '../test/helpers/make-jobs.js';
import { createWorkerKey } from '../test/helpers/worker-process.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { type Figure, spreadOf } from './measure.js';
import { cpuSecondsOf, residentMegabytesOf } from './programs.js';
import { joinByHand, startCountingRelay, type WorkerByHand } from './worker-by-hand.js';

const idleWorkers = 1000;
const sliceSeconds = 20;
const jobsPerRound = 10;
const heartbeatsPerRound = 500;
const waitingJobs = 100_000;
const input = 'http://127.0.0.1:9/film.mp4';
const transfer = { type: 'transfer-only' } as const;

/** The load average of the machine, which other programs share. */
export function machineLoad(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
}

/** A dispatcher, and a worker by hand that has joined it through a relay that counts. */
interface Setup {
  readonly daemon: BenchDaemon;
  readonly token: string;
}

async function withDispatcher<T>(folder: string, task: (setup: Setup) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const daemon = await startDaemon(folder, folder, ['--jobs', '0']);
  try {
    return await task({ daemon, token: await createWorkerKey(folder) });
  } finally {
    await daemon.stop();
  }
}

/** What workers cost the daemon: claims, heartbeats and idle workers. */
export async function measureWorkerCosts(folder: string, rounds: number): Promise<readonly Figure[]> {
  const idle = await withDispatcher(join(folder, 'idle'), (setup) => idleCosts(setup, rounds));
  const unit = await withDispatcher(join(folder, 'unit'), (setup) => unitCosts(setup, rounds));
  writeWaitingJobs(join(folder, 'many'));
  const many = await withDispatcher(join(folder, 'many'), async (setup) => {
    const worker = await joinByHand(setup.daemon.url, setup.token, 'free');
    const samples = await claimTimes(setup, worker, rounds);
    return slowest(
      `slowest claim after a create, ${waitingJobs.toLocaleString('en')} waiting`,
      samples,
      1500,
    );
  });
  return [...unit, many, ...idle];
}

/** Writes jobs that wait for a label that no worker has: the worker is free, and the new job is not behind them. */
function writeWaitingJobs(folder: string): void {
  let id = 1;
  function* jobs(): Generator<Job> {
    for (let count = 0; count < waitingJobs; count += 1) {
      const draft = draftJob({
        accountId: defaultAccountId,
        request: { input, outputs: [transfer], requires: ['gpu'] },
        test: false,
        outputs: [
          {
            settings: transfer,
            outputDestination: { destination: `hosted://${id}/a.mp4`, url: 'http://x/a.mp4' },
          },
        ],
        now: new Date(0),
      });
      yield draft.number(id);
      id += draft.idCount;
    }
  }
  writeJobs(folder, jobs(), () => id);
}

function slowest(name: string, samples: readonly number[], atMost: number): Figure {
  const { median } = spreadOf(samples);
  const basis = `median ${median.toFixed(1)} ms of ${samples.length}, ${machineLoad()}`;
  return { name, unit: 'ms', value: spreadOf([Math.max(...samples)]), atMost, basis };
}

/** From the request that creates a job until a worker that waits has the claim, in milliseconds. */
async function claimTimes(
  { daemon }: Setup,
  worker: WorkerByHand,
  rounds: number,
): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let count = 0; count < rounds * jobsPerRound; count += 1) {
    const polling = pollUntilClaim(worker);
    await sleep(100);
    const begunAt = performance.now();
    await create(daemon);
    const claim = await polling;
    samples.push(performance.now() - begunAt);
    await worker.finish(claim);
  }
  return samples;
}

async function pollUntilClaim(worker: WorkerByHand): Promise<ClaimAnswer> {
  for (;;) {
    const claim = await worker.poll();
    if (claim !== null) return claim;
  }
}

async function create({ url, env }: BenchDaemon): Promise<void> {
  const response = await fetch(`${url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': env.VENC_API_KEY ?? '' },
    body: JSON.stringify({ input, outputs: [transfer] }),
  });
  if (!response.ok) throw new Error(`create: ${response.status} ${await response.text()}`);
}

async function unitCosts(setup: Setup, rounds: number): Promise<readonly Figure[]> {
  const { daemon, token } = setup;
  const relay = await startCountingRelay(daemon.url);
  const worker = await joinByHand(relay.url, token, 'counted');
  const latencies = await claimTimes(setup, worker, rounds);
  const jobCpu: number[] = [];
  const beatCpu: number[] = [];
  let beatBytes = 0;
  let jobBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const jobsBefore = relay.bytes();
    jobCpu.push(
      await cpuPer(daemon, jobsPerRound * 10, async () => {
        await create(daemon);
        await worker.finish(await pollUntilClaim(worker));
      }),
    );
    jobBytes = (relay.bytes() - jobsBefore) / (jobsPerRound * 10);
    await create(daemon);
    const claim = await pollUntilClaim(worker);
    const beatsBefore = relay.bytes();
    beatCpu.push(await cpuPer(daemon, heartbeatsPerRound, () => worker.heartbeat(claim)));
    beatBytes = (relay.bytes() - beatsBefore) / heartbeatsPerRound;
    await worker.finish(claim);
  }
  const before = relay.bytes();
  await worker.poll();
  const pollBytes = relay.bytes() - before;
  worker.client.close();
  relay.close();
  const kilobytes = (name: string, bytes: number): Figure => ({
    name,
    unit: 'KB',
    value: spreadOf([bytes / 1000]),
    atMost: null,
    basis: 'both directions, HTTP over TCP',
  });
  return [
    slowest('slowest claim after a create, empty queue', latencies, 1000),
    perUnit('processor time of the daemon per job: create, claim, 3 changes', jobCpu),
    perUnit('  per heartbeat', beatCpu),
    kilobytes('bytes per job: claim, 3 changes', jobBytes),
    kilobytes('  per heartbeat', beatBytes),
    kilobytes('  per idle poll (20 s)', pollBytes),
  ];
}

/** Processor time of the daemon for each call of a task, in milliseconds. */
async function cpuPer(daemon: BenchDaemon, count: number, task: () => Promise<void>): Promise<number> {
  const before = await cpuSecondsOf(daemon.pid);
  for (let done = 0; done < count; done += 1) await task();
  return (((await cpuSecondsOf(daemon.pid)) - before) / count) * 1000;
}

function perUnit(name: string, samples: readonly number[]): Figure {
  return { name, unit: 'ms', value: spreadOf(samples), atMost: null, basis: machineLoad() };
}

/** Processor time and memory of a daemon for idle workers, each of which waits for a job. */
async function idleCosts({ daemon, token }: Setup, rounds: number): Promise<readonly Figure[]> {
  const memoryBefore = await residentMegabytesOf(daemon.pid);
  const workers: WorkerByHand[] = [];
  let isStopped = false;
  for (let number = 1; number <= idleWorkers; number += 1)
    workers.push(await joinByHand(daemon.url, token, `idle-${number}`));
  const polls = workers.map(async (worker) => {
    while (!isStopped) await worker.poll().catch(() => {});
  });
  await sleep(sliceSeconds * 1000);
  const shares: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await cpuSecondsOf(daemon.pid);
    await sleep(sliceSeconds * 1000);
    shares.push((((await cpuSecondsOf(daemon.pid)) - before) / sliceSeconds) * 100);
  }
  const memory = (await residentMegabytesOf(daemon.pid)) - memoryBefore;
  isStopped = true;
  for (const { client } of workers) client.close();
  await Promise.all(polls);
  return [
    {
      name: `${idleWorkers} idle workers, share of a core`,
      unit: '%',
      value: spreadOf(shares),
      atMost: 5,
      basis: `${shares.map((share) => share.toFixed(1)).join(', ')} % in slices of ${sliceSeconds} s, ${machineLoad()}`,
    },
    {
      name: '  memory of the daemon for each',
      unit: 'KB',
      value: spreadOf([(memory * 1000) / idleWorkers]),
      atMost: null,
      basis: `${memoryBefore.toFixed(0)} MB without them, ${(memoryBefore + memory).toFixed(0)} MB with them`,
    },
  ];
}
