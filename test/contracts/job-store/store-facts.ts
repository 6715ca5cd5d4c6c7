import { apply, type Change } from '../../../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../../../daemon/jobs/draft.js';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';

/** Who dies: the process alone, so that all it handed to the system stays, or the whole machine. */
export type Death = 'process' | 'machine';

/** Makes the store's writing fail at a step of choice, counted from now and from 0. */
export interface StoreFaults {
  /** Dies in place of this step; nothing that is tried afterwards reaches what is kept. */
  dieAt(step: number, kind: Death): void;
  /** This one step fails for want of room. */
  noRoomAt(step: number): void;
  /** Whether the fault that was asked for last has struck. */
  readonly hasStruck: boolean;
}

/** What a store is tried in: a place that keeps jobs, empty at first. */
export interface StoreRoom {
  readonly faults: StoreFaults;
  /** Opens a store on what the place keeps, once the one before was closed or has died. */
  open(): Promise<JobStore>;
  /** Lets the store that is open die, if it is not dead by a fault already. */
  die(kind: Death): Promise<void>;
}

/** Makes an empty place. */
export type StoreHarness = () => Promise<StoreRoom>;

/** What each fact is tried on: an empty place, and a store that is open on it. */
export interface StoreContext extends StoreRoom {
  store: JobStore;
  harness: StoreHarness;
}

/** Statements about every store, each with what proves it. */
export type StoreFacts = Readonly<Record<string, (context: StoreContext) => Promise<void>>>;

const at = new Date('2024-05-06T07:08:09.010Z');

/** The draft of a job of an account, with so many outputs. */
export function draftFor(accountId = 'anna', outputCount = 1): JobDraft {
  return draftJob({
    accountId,
    request: { input: 'http://localhost/in.mp4', outputs: [] },
    test: false,
    outputs: Array.from({ length: outputCount }, (_, index) => ({
      settings: { label: `output ${index}` },
      placement: { destination: `hosted://token/${index}.mp4`, url: `http://localhost/${index}.mp4` },
    })),
    now: at,
  });
}

/** An update that makes a change. `cancelled` makes a job final, `resubmitted` takes it back. */
export function making(change: Change): (job: Job) => Job {
  return (job) => apply(job, change, at);
}

/** An update that is no more than a mark, to be read in `claim`. */
export function marking(mark: string): (job: Job) => Job {
  return (job) => ({ ...job, claim: mark });
}

/** Every job that a store lists. */
export async function allOf(store: JobStore): Promise<readonly Job[]> {
  return (await store.list({ offset: 0, limit: 1000 })).jobs;
}
