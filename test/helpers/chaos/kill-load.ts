import { setTimeout as pause } from 'node:timers/promises';
import type { JobRecord } from '../../../src/shared/records.js';
import { isFinal } from '../../../src/shared/states.js';
import { type DaemonProcess, processKey } from '../daemon-process.js';
import type { Choices } from './chaos-suite.js';
import type { KillFixture } from './kill-fixture.js';
import { existingJobs, type JobKind, type KillModel, type ModelJob } from './kill-model.js';

/** The answer of a daemon; null if it was killed before it answered. */
type Answer = { readonly status: number; readonly body: string } | null;

/** What the operations need. */
export interface KillLoad {
  readonly model: KillModel;
  readonly choices: Choices;
  readonly fixture: KillFixture;
}

const kinds: readonly JobKind[] = [
  'hosted',
  'hosted',
  'file',
  'file',
  'bucket',
  'slow',
  'long',
  'missing',
  'upload',
];
/** Jobs are created only below this number of unfinished ones, and removed more often above that number of jobs. */
const maxUnfinished = 20;
const maxJobs = 60;
const clientCount = 4;
/** Answers to a cancel or a resubmit that the state of the job or the limit of resubmits does not allow. */
const rejections: ReadonlySet<number> = new Set([403, 409]);
/** Leaves the CPU to the encoders. */
const maxPauseMs = 40;

/** Sends a request; null if no answer came. */
export async function ask(daemon: DaemonProcess, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set('Service-Api-Key', processKey);
  try {
    const response = await fetch(`${daemon.url}${path}`, { ...init, headers });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    // The fetch of the tests also rejects for an answer that the OpenAPI document does not describe.
    if (error instanceof TypeError || (error as { code?: string }).code?.startsWith('UND_ERR') === true)
      return null;
    throw error;
  }
}

/** Sends random requests from several clients until the daemon is gone. Rejects with an answer that no request may get. */
export async function runLoad(daemon: DaemonProcess, load: KillLoad): Promise<void> {
  const client = async () => {
    while (daemon.child.exitCode === null && daemon.child.signalCode === null) {
      await operate(daemon, load);
      await pause(load.choices.number(0, maxPauseMs));
    }
  };
  await Promise.all(Array.from({ length: clientCount }, client));
}

async function operate(daemon: DaemonProcess, load: KillLoad): Promise<void> {
  const { model, choices } = load;
  const existing = existingJobs(model).filter(({ isBusy }) => !isBusy);
  const unfinished = existing.filter(({ settled }) => settled === null).length;
  const roll = choices.number(1, 100);
  const job = existing.length === 0 ? null : choices.pick(existing);
  if (job === null || (roll <= 45 && unfinished < maxUnfinished)) return create(daemon, load);
  if (roll <= 48) return repeatCreate(daemon, load, job);
  if (roll <= 52) return upload(daemon, load);
  if (roll <= 59) return change(daemon, load, job, 'cancel');
  if (roll <= 66) return change(daemon, load, job, 'resubmit');
  if (roll <= 70 || (roll <= 85 && existing.length > maxJobs)) return remove(daemon, load, job);
  await observe(daemon, job);
}

async function create(daemon: DaemonProcess, { model, choices, fixture }: KillLoad): Promise<void> {
  const tag = `job-${model.jobs.length}`;
  const kind = choices.pick(model.uploads.length === 0 ? kinds.filter((one) => one !== 'upload') : kinds);
  const input =
    kind === 'upload' ? choices.pick(model.uploads).url : fixture.source.url(`/${sourceOf(kind)}.mp4?${tag}`);
  const outputs = [
    {
      label: 'one',
      width: 32,
      ...destinationOf(kind, fixture, tag),
      notifications: [fixture.webhooks.url('/output')],
    },
    ...(choices.happens(0.3) ? [{ label: 'two', width: 48 }] : []),
  ];
  const longOutputs = [{ label: 'one', width: 640, upscale: true, speed: 1 }];
  const body = JSON.stringify({
    input,
    pass_through: tag,
    test: choices.happens(0.2),
    notifications: [fixture.webhooks.url('/job')],
    outputs: kind === 'long' ? longOutputs : outputs,
  });
  const job: ModelJob = {
    tag,
    key: choices.happens(0.5) ? `key of ${tag}` : null,
    kind,
    body,
    id: null,
    settled: null,
    isResubmitted: false,
    removed: 'no',
    removedIn: 0,
    usageMs: 0,
    finishedUrls: [],
    isBusy: true,
  };
  model.jobs.push(job);
  await sendCreate(daemon, model, job);
  job.isBusy = false;
}

/** Sends the create of a job, for the first time or again. */
export async function sendCreate(daemon: DaemonProcess, model: KillModel, job: ModelJob): Promise<void> {
  const headers: Record<string, string> = job.key === null ? {} : { 'Idempotency-Key': job.key };
  const answer = await ask(daemon, '/v2/jobs', { method: 'POST', headers, body: job.body });
  if (answer === null) {
    if (job.id === null) model.counts.unanswered += 1;
    return;
  }
  if (answer.status !== 201) throw new Error(`create of ${job.tag}: ${answer.status} ${answer.body}`);
  const id = Number((JSON.parse(answer.body) as { id: string }).id);
  if (job.id !== null && job.id !== id) throw new Error(`${job.tag} was created twice: ${job.id} and ${id}`);
  if (job.id === null) model.counts.creates += 1;
  job.id = id;
}

function sourceOf(kind: JobKind): string {
  return kind === 'slow' || kind === 'long' || kind === 'missing' ? kind : 'short';
}

function destinationOf(kind: JobKind, fixture: KillFixture, tag: string): object {
  if (kind === 'file' || kind === 'slow') return { url: `file://${fixture.deliveryFolder}/${tag}.mp4` };
  return kind === 'bucket' ? { url: `s3://films/${tag}.mp4` } : {};
}

async function repeatCreate(daemon: DaemonProcess, { model }: KillLoad, job: ModelJob): Promise<void> {
  if (job.key === null) return;
  job.isBusy = true;
  await sendCreate(daemon, model, job);
  job.isBusy = false;
  model.counts.repeats += 1;
}

async function upload(daemon: DaemonProcess, { model, choices, fixture }: KillLoad): Promise<void> {
  // Different lengths, so that two uploads cannot be confused.
  const padding = Buffer.alloc(choices.number(0, 200_000), model.uploads.length);
  const bytes = Buffer.concat([fixture.shortFilm, padding]);
  const answer = await ask(daemon, '/v2/uploads/film.mp4', { method: 'PUT', body: new Uint8Array(bytes) });
  if (answer === null) return;
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${answer.body}`);
  model.uploads.push({ url: (JSON.parse(answer.body) as { url: string }).url, bytes });
  model.counts.uploads += 1;
}

async function change(
  daemon: DaemonProcess,
  { model }: KillLoad,
  job: ModelJob,
  verb: 'cancel' | 'resubmit',
): Promise<void> {
  job.isBusy = true;
  const before = job.settled;
  // Until the answer comes, either state is right.
  job.settled = null;
  if (verb === 'cancel') job.isResubmitted = false;
  const answer = await ask(daemon, `/v2/jobs/${job.id}/${verb}`, { method: 'PUT' });
  job.isBusy = false;
  if (answer === null) return;
  if (answer.status === 204) {
    if (verb === 'cancel') job.settled = 'cancelled';
    else job.isResubmitted = true;
    model.counts[verb === 'cancel' ? 'cancels' : 'resubmits'] += 1;
  } else if (rejections.has(answer.status)) job.settled = before;
  else throw new Error(`${verb} of ${job.tag}: ${answer.status} ${answer.body}`);
}

async function remove(daemon: DaemonProcess, { model }: KillLoad, job: ModelJob): Promise<void> {
  const isKnown = await observe(daemon, job);
  if (!isKnown || job.settled === null) return;
  job.isBusy = true;
  job.removed = 'maybe';
  const answer = await ask(daemon, `/v2/jobs/${job.id}`, { method: 'DELETE' });
  job.isBusy = false;
  if (answer === null) return;
  if (answer.status !== 204) throw new Error(`removal of ${job.tag}: ${answer.status} ${answer.body}`);
  job.removed = 'yes';
  job.removedIn = model.generation;
  model.counts.removals += 1;
}

/** Reads a job. Resolves to whether the daemon answered. */
async function observe(daemon: DaemonProcess, job: ModelJob): Promise<boolean> {
  job.isBusy = true;
  const answer = await ask(daemon, `/v2/jobs/${job.id}`);
  job.isBusy = false;
  if (answer === null) return false;
  if (answer.status !== 200) throw new Error(`${job.tag} (job ${job.id}): ${answer.status} ${answer.body}`);
  noteState(job, (JSON.parse(answer.body) as { job: JobRecord }).job);
  return true;
}

/** Checks the state that the daemon reports against what is known, and notes it. */
export function noteState(job: ModelJob, record: JobRecord): void {
  const what = `${job.tag} (job ${job.id})`;
  if (job.settled !== null && job.settled !== record.state)
    throw new Error(`${what} was ${job.settled} and is ${record.state}`);
  if (job.isResubmitted && record.state === 'cancelled')
    throw new Error(`${what} was resubmitted and is cancelled again`);
  if (isFinal(record.state)) job.settled = record.state;
  const finished = record.output_media_files.filter(({ state }) => state === 'finished');
  job.finishedUrls = finished.map(({ url }) => url ?? '');
  job.usageMs = finished.reduce((sum, { duration_in_ms: ms }) => sum + (ms ?? 0), 0);
}
