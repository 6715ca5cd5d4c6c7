import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitUntil } from '../test/helpers/wait-until.js';
import { createWorkerKey, startWorker, type WorkerProcess } from '../test/helpers/worker-process.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { startSlowServer } from './pipeline.js';
import { machineLoad, measureWorkerCosts } from './worker-costs.js';

/** Jobs whose time is that of their downloads. A worker with one slot downloads two inputs at a time: their number divides evenly. */
const waitingJobs = 60;
const downloadMs = 3000;
/** They wait for their inputs and nothing else: an encode would measure the cores of this machine, which all workers share. */
const waitingOutput = { type: 'transfer-only' };

/** Starts workers, runs a task and ends them. */
async function withWorkers<T>(
  daemon: BenchDaemon,
  { folder, count }: { readonly folder: string; readonly count: number },
  task: () => Promise<T>,
): Promise<T> {
  const token = await createWorkerKey(join(folder, 'data'));
  const workers: WorkerProcess[] = [];
  for (let number = 1; number <= count; number += 1) {
    const dataFolder = join(folder, `worker-${number}`);
    const worker = startWorker(daemon.url, token, ['--name', `worker-${number}`], dataFolder);
    await waitUntil('it has joined', () => /has joined/.test(worker.written()));
    workers.push(worker);
  }
  try {
    return await task();
  } finally {
    for (const worker of workers) await worker.end('SIGTERM');
  }
}

/**
 * Measures remote workers on this machine: the throughput of three compared with one, a job of a worker compared with one of the daemon
 * itself, how soon a job is claimed, and what idle workers cost the daemon.
 */
export async function measureWorkers(folder: string, rounds: number): Promise<readonly Figure[]> {
  return [
    await compareThroughput(join(folder, 'throughput'), rounds),
    await compareSingleJob(join(folder, 'single'), rounds),
    ...(await measureWorkerCosts(join(folder, 'costs'), rounds)),
  ];
}

/** Compares the throughput of three workers with that of one. */
export async function compareThroughput(folder: string, rounds: number): Promise<Figure> {
  await mkdir(folder, { recursive: true });
  const { ffmpeg } = await requireFfmpeg();
  const clip = await makeClip(ffmpeg.path, folder, { size: '640x360', seconds: 2, megabits: 1 });
  const dispatcher = await startDaemon(join(folder, 'data'), folder, ['--jobs', '0']);
  const server = await startSlowServer(clip);
  server.setDuration(downloadMs);
  try {
    const throughput = (count: number) =>
      withWorkers(dispatcher, { folder, count }, () =>
        timed(() =>
          Promise.all(
            Array.from({ length: waitingJobs }, () => dispatcher.runJob(server.url, waitingOutput)),
          ),
        ),
      );
    const { one, three } = await alternate(rounds, { three: () => throughput(3), one: () => throughput(1) });
    return {
      name: `${waitingJobs} throttled inputs, 3 workers`,
      unit: 'x',
      value: spreadOf(ratiosOf(one, three)),
      atMost: null,
      atLeast: 2.7,
      basis: `${secondsOf(three)}, one worker ${secondsOf(one)}, ${machineLoad()}`,
    };
  } finally {
    await Promise.all([server.close(), dispatcher.stop()]);
  }
}

/** Compares a job of a worker with one of the daemon itself. */
export async function compareSingleJob(folder: string, rounds: number): Promise<Figure> {
  await mkdir(folder, { recursive: true });
  const { ffmpeg } = await requireFfmpeg();
  const film = pathToFileURL(await makeClip(ffmpeg.path, folder)).href;
  const dispatcher = await startDaemon(join(folder, 'data'), folder, ['--jobs', '0']);
  const alone = await startDaemon(join(folder, 'alone'), folder, ['--jobs', '1']);
  try {
    const { worker, own } = await withWorkers(dispatcher, { folder, count: 1 }, () =>
      alternate(rounds, {
        worker: () => timed(() => dispatcher.runJob(film)),
        own: () => timed(() => alone.runJob(film)),
      }),
    );
    return {
      name: 'a job of a worker, of the daemon',
      unit: 'x',
      value: spreadOf(ratiosOf(worker, own)),
      atMost: 1.05,
      basis: `${secondsOf(worker)}, ${secondsOf(own)}, ${machineLoad()}`,
    };
  } finally {
    await Promise.all([dispatcher.stop(), alone.stop()]);
  }
}

function secondsOf(samples: readonly number[]): string {
  return `${(spreadOf(samples).median / 1000).toFixed(2)} s`;
}
