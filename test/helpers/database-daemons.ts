import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withSetup } from '../../daemon/admin/open-setup.js';
import { createKey, createWorkerKey, rotateOwnerKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { type DaemonProcess, processKey, startDaemonProcess } from './daemon-process.js';
import { media } from './media.js';
import { findPostgres, type PostgresServer, startPostgres } from './postgres.js';
import type { MissingProgram } from './servers/find-program.js';
import { startHttpSource } from './servers/http-source.js';
import { startWebhookEndpoint, type WebhookEndpoint } from './servers/webhook-endpoint.js';
import { tempFolder } from './temp.js';
import { waitUntil } from './wait-until.js';

/** The programs that daemons with a database need: PostgreSQL, and a version of Node.js in which the engine of the queue runs. */
export function findDatabasePrograms(): { readonly bin: string } | MissingProgram {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 12))
    return { missing: `Node.js 22.12 is missing: this is ${process.versions.node}` };
  return findPostgres();
}

/** A source of films. Downloads of `held` are answered only after `release`. */
interface HeldSource {
  url(name: 'clip' | 'held' | 'long'): string;
  /** The number of requests that wait for `release`. */
  readonly waitingCount: number;
  /** Answers all waiting and later requests. */
  release(): void;
  /** Lets later requests wait. */
  hold(): void;
  close(): Promise<void>;
}

/** Several daemons with one database, each with its own data folder, and the servers around them. */
export interface DatabaseDaemons {
  readonly server: PostgresServer;
  readonly source: HeldSource;
  readonly webhooks: WebhookEndpoint;
  /** Folder of `file:` destinations. */
  readonly deliveryFolder: string;
  readonly dsn: string;
  /** The data folder of a daemon, by name. */
  dataFolder(name: string): string;
  /** Starts a daemon, or starts it again in its folder. */
  start(name: string, jobs: number, args?: readonly string[]): Promise<DaemonProcess>;
  /** Creates a key of the owner, or of a worker, in the database. A daemon must have started before. */
  createKey(kind: 'full' | 'worker'): Promise<string>;
  /** Replaces the owner's key in the database. */
  rotateOwnerKey(): Promise<string>;
  close(): Promise<void>;
}

/** Starts PostgreSQL, the source and a receiver of notifications. `env` is the environment of all daemons. */
export async function startDatabaseDaemons(
  bin: string,
  env: NodeJS.ProcessEnv = {},
): Promise<DatabaseDaemons> {
  const folder = tempFolder();
  const deliveryFolder = join(folder, 'delivered');
  mkdirSync(deliveryFolder);
  const server = await startPostgres(bin);
  const dsn = server.dsn(await server.createDatabase());
  const source = await startHeldSource();
  const webhooks = await startWebhookEndpoint();
  const dataFolder = (name: string) => join(folder, name);
  let keyFile: string | null = null;
  const place = () => ({ dataFolder: dirname(keyFile ?? ''), database: dsn, databaseKey: undefined });
  return {
    ...{ server, source, webhooks, deliveryFolder, dsn, dataFolder },
    async start(name, jobs, args = []) {
      const daemon = await startDaemonProcess(
        dataFolder(name),
        ['--jobs', String(jobs), '--min-free', '0', '--files-root', deliveryFolder, ...args],
        {
          ...env,
          VENC_DATABASE: dsn,
          VENC_DATABASE_KEY: keyFile === null ? '' : readFileSync(keyFile, 'utf8').trim(),
        },
      );
      // The first daemon has created the key.
      keyFile ??= join(dataFolder(name), 'database-key');
      return daemon;
    },
    async createKey(kind) {
      const { key } = await withSetup(place(), (setup) =>
        kind === 'worker' ? createWorkerKey(setup) : createKey(setup, 'default', kind),
      );
      return key;
    },
    async rotateOwnerKey() {
      return (await withSetup(place(), (setup) => rotateOwnerKey(setup, 3600))).key;
    },
    async close() {
      await Promise.all([source.close(), webhooks.close()]);
      await server.end();
    },
  };
}

async function startHeldSource(): Promise<HeldSource> {
  const files = {
    held: await media('clip.mp4'),
    clip: await media('clip.mp4'),
    long: await media('long.mp4'),
  };
  let waiting: (() => void)[] | null = [];
  const source = await startHttpSource((request, response) => {
    const [, name = ''] = /^\/(\w+)\.mp4/.exec(request.url ?? '') ?? [];
    const bytes = readFileSync(files[name as keyof typeof files]);
    const answer = () => {
      response.writeHead(200, { 'Content-Length': bytes.length, 'Content-Type': 'video/mp4' });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    };
    if (name === 'held' && waiting !== null) waiting.push(answer);
    else answer();
  });
  return {
    url: (name) => source.url(`/${name}.mp4`),
    get waitingCount() {
      return waiting?.length ?? 0;
    },
    release() {
      const released = waiting ?? [];
      waiting = null;
      for (const answer of released) answer();
    },
    hold() {
      waiting ??= [];
    },
    close: () => source.close(),
  };
}

/** Sends a request with the owner's key, or with another one. */
export function requestTo(
  { url }: Pick<DaemonProcess, 'url'>,
  path: string,
  { key = processKey, ...init }: RequestInit & { readonly key?: string } = {},
): Promise<Response> {
  return fetch(`${url}${path}`, { ...init, headers: { 'Service-Api-Key': key, ...init.headers } });
}

/** What a test creates a job with. */
export interface CreateSettings {
  readonly input: string;
  readonly output?: Readonly<Record<string, unknown>>;
  /** Several outputs, instead of one. */
  readonly outputs?: readonly Readonly<Record<string, unknown>>[];
  readonly notify?: string;
  readonly tag?: string;
  readonly idempotencyKey?: string;
}

/** Creates a job and returns its id. */
export async function createAt(
  daemon: Pick<DaemonProcess, 'url'>,
  settings: CreateSettings,
): Promise<number> {
  const { input, output = { width: 64 }, outputs = [output], notify, tag, idempotencyKey } = settings;
  const response = await requestTo(daemon, '/v2/jobs', {
    method: 'POST',
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({
      input,
      outputs,
      ...(tag === undefined ? {} : { pass_through: tag }),
      ...(notify === undefined ? {} : { notifications: [notify] }),
    }),
  });
  const answer = (await response.json()) as { readonly id?: string };
  if (response.status !== 201) throw new Error(`create: ${response.status} ${JSON.stringify(answer)}`);
  return Number(answer.id);
}

/** The record of a job. */
export async function jobAt(daemon: Pick<DaemonProcess, 'url'>, id: number): Promise<JobRecord> {
  const response = await requestTo(daemon, `/v2/jobs/${id}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`job ${id}: ${response.status} ${text}`);
  return (JSON.parse(text) as { readonly job: JobRecord }).job;
}

/** The progress of a job. */
export async function progressAt(daemon: Pick<DaemonProcess, 'url'>, id: number): Promise<JobProgressRecord> {
  return (await (await requestTo(daemon, `/v2/jobs/${id}/progress`)).json()) as JobProgressRecord;
}

/** Waits until a job is final, for at most the given time. Resolves to its record. */
export async function finalJob(
  daemon: Pick<DaemonProcess, 'url'>,
  id: number,
  timeoutMs = 60_000,
): Promise<JobRecord> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const job = await jobAt(daemon, id);
    if (isFinal(job.state)) return job;
    if (performance.now() > end) throw new Error(`Job ${id} is ${job.state} after ${timeoutMs} ms.`);
    await pause(50);
  }
}

/** Creates a job whose download is held, and waits until a daemon runs it. */
export async function createHeld(
  { source }: Pick<DatabaseDaemons, 'source'>,
  daemon: DaemonProcess,
  settings: Omit<CreateSettings, 'input'> = {},
): Promise<number> {
  const before = source.waitingCount;
  const id = await createAt(daemon, { ...settings, input: source.url('held') });
  await waitUntil(`job ${id} is downloaded`, () => source.waitingCount > before);
  return id;
}

/** The URL of a file at the destination of a test. */
export function deliveryUrl(
  { deliveryFolder }: Pick<DatabaseDaemons, 'deliveryFolder'>,
  name: string,
): string {
  return `file://${deliveryFolder}/${name}.mp4`;
}

/** Whether a file was delivered. */
export function isDelivered(
  { deliveryFolder }: Pick<DatabaseDaemons, 'deliveryFolder'>,
  name: string,
): boolean {
  return existsSync(join(deliveryFolder, `${name}.mp4`));
}
