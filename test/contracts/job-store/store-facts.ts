import { apply, type Change } from '../../../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../../../daemon/jobs/draft.js';
import type { FileFacts, Job } from '../../../daemon/jobs/job.js';
import type { MediaFacts } from '../../../daemon/jobs/media.js';
import type { JobStore } from '../../../daemon/store/job-store.js';

/** Who dies: the process alone, so that all it handed to the system stays, or the whole machine. */
export type CrashKind = 'process' | 'machine';

/** Makes the store's writing fail at a step of choice, counted from now and from 0. */
export interface StoreFaults {
  /** Dies in place of this step; nothing that is tried afterwards reaches what is kept. */
  crashAt(step: number, kind: CrashKind): void;
  /** This one step fails for want of room. */
  failWithoutSpaceAt(step: number): void;
  /** Whether the fault that was asked for last has struck. */
  readonly hasTriggered: boolean;
}

/** What a store is tried in: a place that keeps jobs, empty at first. */
export interface StoreHarness {
  readonly faults: StoreFaults;
  /** Opens a store on what the place keeps, once the one before was closed or has died. */
  open(): Promise<JobStore>;
  /** Lets the store that is open die, if it is not dead by a fault already. */
  crash(kind: CrashKind): Promise<void>;
}

/** Makes an empty place. */
export type CreateStoreHarness = () => Promise<StoreHarness>;

/** What each fact is tried on: an empty place, and a store that is open on it. */
export interface StoreContext extends StoreHarness {
  store: JobStore;
  createHarness: CreateStoreHarness;
}

/** Statements about every store, each with what proves it. */
export type StoreFacts = Readonly<Record<string, (context: StoreContext) => Promise<void>>>;

const at = new Date('2024-05-06T07:08:09.010Z');

/** What a draft can have besides an account. */
export interface DraftOptions {
  readonly accountId?: string;
  readonly outputCount?: number;
  readonly grouping?: string;
  readonly test?: boolean;
  /** An idempotency key; the fingerprint of the request is `of KEY`. */
  readonly key?: string;
  readonly now?: Date;
}

/** The draft of a job of an account, with so many outputs. */
export function draftFor(accountId = 'anna', outputCount = 1): JobDraft {
  return draftWith({ accountId, outputCount });
}

/** The draft of a job with some traits. */
export function draftWith(options: DraftOptions): JobDraft {
  const { accountId = 'anna', outputCount = 1, grouping, test = false, key, now = at } = options;
  return draftJob({
    accountId,
    request: {
      input: 'http://localhost/in.mp4',
      outputs: [],
      ...(grouping === undefined ? {} : { grouping }),
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

/** An update that makes a change. `cancelled` makes a job final, `resubmitted` takes it back. */
export function applying(change: Change, now = at): (job: Job) => Job {
  return (job) => apply(job, change, now);
}

/** An update that is no more than a mark, to be read in `claim`. */
export function withClaim(claim: string): (job: Job) => Job {
  return (job) => ({ ...job, claim });
}

/** Media facts of a file that lasts so long. */
export function mediaOf(durationSeconds: number | null): MediaFacts {
  return { format: 'mpeg4', durationSeconds, totalBitrateKbps: null, video: null, audio: null };
}

const file: FileFacts = { sizeBytes: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' };

/** The updates that carry a waiting job so far that its outputs can begin. */
export const startUpdates: readonly ((job: Job) => Job)[] = [
  applying({ type: 'claimed', token: 'a run' }),
  applying({ type: 'inspected', media: mediaOf(1), file }),
];

/** The updates in which an output begins and finishes, lasting so long. */
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

/** Makes one update after the other, and resolves to the last job. */
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
