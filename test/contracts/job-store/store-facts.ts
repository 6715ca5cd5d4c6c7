import { apply } from '../../../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../../../daemon/jobs/draft.js';
import type { FileFacts, Job } from '../../../daemon/jobs/job.js';
import type { Change } from '../../../daemon/jobs/legal-changes.js';
import type { MediaFacts } from '../../../daemon/jobs/media.js';
import type { JobStore } from '../../../daemon/store/job-store.js';

/** What crashes: only the process, so that everything it passed to the system remains, or the whole machine. */
export type CrashKind = 'process' | 'machine';

/** Makes a chosen write step fail. Steps are counted from the call, starting at 0. */
export interface StoreFailures {
  /** Crashes instead of executing this step. Nothing after it is stored. */
  crashAt(step: number, kind: CrashKind): void;
  /** Fails only this step, with "no space left". */
  failWithoutSpaceAt(step: number): void;
  /** Whether the last requested failure has occurred. */
  readonly hasTriggered: boolean;
}

/** The storage of one test, empty at first. */
export interface StoreHarness {
  readonly failures: StoreFailures;
  /** Opens a store on the existing data, after the previous store was closed or crashed. */
  open(): Promise<JobStore>;
  /** Crashes the open store, unless a failure already did. */
  crash(kind: CrashKind): Promise<void>;
  /** Closes what the stores of the harness have left open. Absent if there is nothing to close. */
  close?(): Promise<void>;
}

/** Creates a harness with empty storage. */
export type CreateStoreHarness = () => Promise<StoreHarness>;

/** The context of each test: empty storage, and an open store on it. */
export interface StoreContext extends StoreHarness {
  store: JobStore;
  createHarness: CreateStoreHarness;
}

/** Statements about every store, each with its test. */
export type StoreFacts = Readonly<Record<string, (context: StoreContext) => Promise<void>>>;

const at = new Date('2024-05-06T07:08:09.010Z');

/** Optional properties of a draft. */
export interface DraftOptions {
  readonly accountId?: string;
  readonly outputCount?: number;
  readonly input?: string;
  readonly grouping?: string;
  /** How the job waits. */
  readonly queueing?: { readonly priority?: number; readonly requires?: readonly string[] };
  readonly test?: boolean;
  /** An idempotency key; the fingerprint of the request is `of KEY`. */
  readonly key?: string;
  readonly now?: Date;
}

/** The draft of a job of an account with a number of outputs. */
export function draftFor(accountId = 'anna', outputCount = 1): JobDraft {
  return draftWith({ accountId, outputCount });
}

/** The draft of a job with the given properties. */
export function draftWith(options: DraftOptions): JobDraft {
  const {
    accountId = 'anna',
    outputCount = 1,
    input = 'http://localhost/in.mp4',
    grouping,
    queueing,
    test = false,
    key,
    now = at,
  } = options;
  return draftJob({
    accountId,
    request: {
      input,
      input_name: '/films/in.mp4',
      outputs: [],
      ...(grouping === undefined ? {} : { grouping }),
      ...queueing,
    },
    test,
    outputs: Array.from({ length: outputCount }, (_, index) => ({
      settings: { label: `output ${index}` },
      outputDestination: { destination: `hosted://token/${index}.mp4`, url: `http://localhost/${index}.mp4` },
    })),
    now,
    idempotency: key === undefined ? null : { key, fingerprint: `of ${key}` },
  });
}

/** Returns an update that applies a change. `cancelled` makes a job final, `resubmitted` makes it active again. */
export function applying(change: Change, now = at): (job: Job) => Job {
  return (job) => apply(job, change, now);
}

/** Returns an update that only sets `claim`, so that tests can recognize it. */
export function withClaim(claim: string): (job: Job) => Job {
  return (job) => ({ ...job, claim });
}

/** Media facts of a file with the given duration. */
export function mediaOf(durationSeconds: number | null): MediaFacts {
  return { format: 'mpeg4', durationSeconds, totalBitrateKbps: null, video: null, audio: null };
}

const file: FileFacts = { sizeBytes: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' };

/** The updates that take a waiting job to the point where its outputs can start. */
export const startUpdates: readonly ((job: Job) => Job)[] = [
  applying({ type: 'claimed', token: 'a run' }),
  applying({ type: 'inspected', media: mediaOf(1), file }),
];

/** The updates that start and finish an output of the given duration. */
export function finishUpdates(
  id: number,
  durationSeconds: number | null,
  now = at,
): readonly ((job: Job) => Job)[] {
  return [
    applying({ type: 'output-started', id }, now),
    applying({ type: 'output-finished', id, media: mediaOf(durationSeconds), file }, now),
  ];
}

/** Applies updates one after the other and resolves to the last job. */
export async function updateAll(
  store: JobStore,
  job: Job,
  changes: readonly ((job: Job) => Job)[],
): Promise<Job> {
  let last = job;
  for (const change of changes) last = await store.update(job.id, change);
  return last;
}

/** Every job that a store lists. */
export async function allOf(store: JobStore): Promise<readonly Job[]> {
  return (await store.list({ offset: 0, limit: 1000 })).jobs;
}
