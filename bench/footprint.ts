import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { waitUntil } from '../test/helpers/wait-until.js';
import { createWorkerKey } from '../test/helpers/worker-process.js';
import type { Coverage } from './covered.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import type { Figure } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';

const covered = fileURLToPath(new URL('covered.js', import.meta.url));
/** What a process does after a job has ended: it removes files and reports. */
const settleMs = 500;

interface Answer {
  readonly id?: number;
}

/**
 * Counts the source files and functions that run for a request, a job and a command, with precise coverage over the unbundled build.
 * Caches are warm: each was done once before. Anonymous functions of a file count once, and the top level of a file does not count.
 */
export async function measureFootprint(folder: string): Promise<readonly Figure[]> {
  const { ffmpeg } = await requireFfmpeg();
  const film = pathToFileURL(
    await makeClip(ffmpeg.path, folder, { size: '320x180', seconds: 1, megabits: 1 }),
  ).href;
  const requests = await measureRequests(join(folder, 'data'), folder, film);
  const job = await measureJob(join(folder, 'alone'), folder, film, requests.create);
  return [
    rowOf('POST /v2/jobs, until the job waits', 100, requests.create),
    rowOf('GET /v2/jobs/1', 22, requests.details),
    rowOf('a job from the queue to its file', 150, job),
    rowOf('the same through a worker: the daemon', 90, requests.dispatch),
    rowOf('the same through a worker: the worker', 130, requests.work),
    rowOf('venc submit URL --bitrate-cap 800', 38, requests.submit),
    rowOf('the same: loaded', 75, requests.submit, Object.keys(requests.submit).length),
  ];
}

async function measureRequests(dataFolder: string, filesRoot: string, film: string) {
  const daemon = await startDaemon(dataFolder, filesRoot, ['--jobs', '0'], {}, covered);
  try {
    const createJob = () => create(daemon, film);
    const id = await createJob();
    let other = id;
    const ofCreate = await coverageOf(daemon.child, async () => {
      other = await createJob();
    });
    await send(daemon, 'GET', `/v2/jobs/${id}`);
    const details = await coverageOf(daemon.child, () => send(daemon, 'GET', `/v2/jobs/${other}`));
    const submit = await commandCoverage(daemon, ['submit', film, '--bitrate-cap', '800']);
    const worker = await startCoveredWorker(daemon, dataFolder);
    try {
      await waitForEnd(dataFolder, id);
      const last = await createJob();
      await waitForEnd(dataFolder, last);
      let work: Coverage = {};
      const whole = await coverageOf(daemon.child, async () => {
        work = await coverageOf(worker, async () => waitForEnd(dataFolder, await createJob()));
      });
      return { create: ofCreate, details, submit, dispatch: without(whole, ofCreate), work };
    } finally {
      worker.kill('SIGTERM');
      await once(worker, 'exit');
    }
  } finally {
    await daemon.stop();
  }
}

async function measureJob(
  dataFolder: string,
  filesRoot: string,
  film: string,
  ofCreate: Coverage,
): Promise<Coverage> {
  const daemon = await startDaemon(dataFolder, filesRoot, ['--jobs', '1'], {}, covered);
  try {
    const run = async () => waitForEnd(dataFolder, await create(daemon, film));
    await run();
    return without(await coverageOf(daemon.child, run), ofCreate);
  } finally {
    await daemon.stop();
  }
}

async function startCoveredWorker(daemon: BenchDaemon, dataFolder: string): Promise<ChildProcess> {
  const token = await createWorkerKey(dataFolder);
  const folder = `${dataFolder}-worker`;
  const args = ['worker', '--join', daemon.url, '--data', folder, '--jobs', '1', '--allow-private-network'];
  return spawn(process.execPath, [covered, ...args], {
    env: { ...process.env, VENC_WORKER_TOKEN: token },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

async function create(daemon: BenchDaemon, input: string): Promise<number> {
  return Number((await send(daemon, 'POST', '/v2/jobs', { input })).id);
}

/** Sends a request over a connection of its own, so that the code that accepts one runs as well. */
async function send({ url, env }: BenchDaemon, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'Zencoder-Api-Key': env.VENC_API_KEY ?? '', 'Content-Type': 'application/json' };
  const sent = request(`${url}${path}`, { method, headers, agent: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = (await json(response)) as Answer;
  if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(JSON.stringify(answer));
  return answer;
}

/** Waits for the end of a job by its file, so that no request adds to what runs in the daemon. */
async function waitForEnd(dataFolder: string, id: number): Promise<void> {
  const jobs = join(dataFolder, 'jobs');
  const done = async () =>
    (await readdir(join(jobs, 'done'), { recursive: true })).map((path) => join(jobs, 'done', path));
  await waitUntil(`job ${id} has ended`, async () =>
    (await done()).some((path) => path.endsWith(`/${id}.json`)),
  );
  const [path = ''] = (await done()).filter((one) => one.endsWith(`/${id}.json`));
  const { state } = JSON.parse(await readFile(path, 'utf8')).job;
  if (state !== 'finished') throw new Error(`job ${id} is ${state}`);
  await pause(settleMs);
}

async function coverageOf(child: ChildProcess, work: () => Promise<unknown>): Promise<Coverage> {
  await takeCoverage(child);
  await work();
  return takeCoverage(child);
}

async function takeCoverage(child: ChildProcess): Promise<Coverage> {
  const answer = once(child, 'message');
  child.send('take');
  return (await answer)[0] as Coverage;
}

async function commandCoverage({ env }: BenchDaemon, args: readonly string[]): Promise<Coverage> {
  const child = spawn(process.execPath, [covered, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [[coverage], [code]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  if (code !== 0) throw new Error(`venc ${args.join(' ')} ended with ${code}`);
  return coverage as Coverage;
}

/** The functions of a coverage that are not in another one. */
function without(whole: Coverage, other: Coverage): Coverage {
  return Object.fromEntries(
    Object.entries(whole).map(([path, names]) => [
      path,
      names.filter((name) => !(other[path] ?? []).includes(name)),
    ]),
  );
}

function rowOf(name: string, atMost: number, coverage: Coverage, loaded?: number): Figure {
  const ran = Object.values(coverage).filter((names) => names.length > 0);
  const count = loaded ?? ran.length;
  const functions = ran.reduce((sum, names) => sum + names.length, 0);
  return {
    name,
    unit: 'files',
    value: { median: count, low: count, high: count },
    atMost,
    basis: loaded === undefined ? `${functions} functions` : 'files loaded',
  };
}
