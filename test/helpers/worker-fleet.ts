import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { type KillFixture, startKillFixture } from './chaos/kill-fixture.js';
import { type DaemonProcess, processKey, startDaemonProcess } from './daemon-process.js';
import { holdersOf } from './job-history.js';
import { tempFolder } from './temp.js';
import { waitUntil } from './wait-until.js';
import { createWorkerKey, startWorker, type WorkerProcess } from './worker-process.js';

/** A worker of a fleet, which encodes one job at a time. */
export interface FleetWorker extends WorkerProcess {
  readonly name: string;
}

/** Further flags of a worker, and the launcher that it is started through. */
interface WorkerStart {
  readonly args?: readonly string[];
  readonly launcher?: readonly string[];
}

/** A daemon that runs no jobs itself, and the servers that its workers transfer files from and to. */
export interface WorkerFleet {
  readonly daemon: DaemonProcess;
  readonly fixture: KillFixture;
  readonly token: string;
  /** Starts a worker with a folder of its own, at the address of the daemon or another one, and waits until it has joined. */
  startWorker(name: string, url?: string, dataFolder?: string, more?: WorkerStart): Promise<FleetWorker>;
  /** Creates a job from the slow source, tagged, delivered to a bucket, to the daemon and to a folder in turn. */
  create(tag: string, settings?: Readonly<Record<string, unknown>>): Promise<number>;
  job(id: number): Promise<JobRecord>;
  logOf(id: number): Promise<string>;
  /** The workers that had a job, in order. */
  holdersOf(id: number): Promise<readonly string[]>;
  /** Waits until a job has ended, for about three minutes. */
  waitUntilFinal(id: number): Promise<void>;
  /** Ends the daemon with a signal and starts it again, in the same folder and on the same port. */
  restartDaemon(signal: NodeJS.Signals): Promise<void>;
  /** A request with the owner's key. */
  request(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the daemon and the servers. */
export async function startWorkerFleet(args: readonly string[] = []): Promise<WorkerFleet> {
  const fixture = await startKillFixture(() => 1);
  const start = (more: readonly string[]) =>
    startDaemonProcess(
      fixture.dataFolder,
      ['--jobs', '0', '--min-free', '0', '--files-root', fixture.deliveryFolder, ...args, ...more],
      fixture.env,
    );
  let daemon = await start([]);
  const token = await createWorkerKey(fixture.dataFolder);
  const folder = tempFolder();
  let workerCount = 0;
  let jobCount = 0;
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': processKey, ...init.headers } });
  const job = async (id: number): Promise<JobRecord> => {
    const response = await request(`/v2/jobs/${id}`);
    return ((await response.json()) as { job: JobRecord }).job;
  };
  const logOf = async (id: number) => (await request(`/v2/jobs/${id}/log.txt`)).text();
  const urlOf = (tag: string): string | undefined =>
    [`s3://films/${tag}.mp4`, undefined, `file://${fixture.deliveryFolder}/${tag}.mp4`][jobCount % 3];
  return {
    get daemon() {
      return daemon;
    },
    fixture,
    token,
    request,
    job,
    logOf,
    async startWorker(
      name,
      url = daemon.url,
      dataFolder = join(folder, String(workerCount)),
      { args: flags = [], launcher = [] } = {},
    ) {
      workerCount += 1;
      const worker = startWorker(url, token, ['--name', name, ...flags], dataFolder, fixture.env, launcher);
      await waitUntil(`${name} has joined`, () => /has joined/.test(worker.written()));
      return { ...worker, name };
    },
    async create(tag, settings = {}) {
      jobCount += 1;
      const { input = fixture.source.url('/slow.mp4'), ...output } = settings;
      const body = {
        input,
        pass_through: tag,
        notifications: [fixture.webhooks.url('/')],
        outputs: [{ url: urlOf(tag), width: 64, ...output }],
      };
      const response = await request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
      const answer = (await response.json()) as { id?: string };
      if (response.status !== 201) throw new Error(`create: ${response.status} ${JSON.stringify(answer)}`);
      return Number(answer.id);
    },
    async holdersOf(id) {
      return holdersOf([await logOf(id)], [id]).get(id) ?? [];
    },
    async waitUntilFinal(id) {
      for (let polls = 0; !isFinal((await job(id)).state); polls += 1) {
        if (polls > 600) throw new Error(`Job ${id} is ${(await job(id)).state}: ${await logOf(id)}`);
        await pause(250);
      }
    },
    async restartDaemon(signal) {
      const { port } = new URL(daemon.url);
      await daemon.end(signal);
      daemon = await start(['--port', port]);
    },
    async close() {
      await daemon.end('SIGKILL');
      await fixture.close();
    },
  };
}
