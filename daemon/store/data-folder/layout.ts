import { dirname, join } from 'node:path';
import { isFinal, type JobState } from '../../../src/shared/states.js';

/** How many ids share one folder below `jobs/done`. */
const idsPerFolder = 1000;

/** Where everything in a data folder lies that the stores keep there (contract, "What a data folder endures"). */
export interface DataLayout {
  readonly folder: string;
  readonly lock: string;
  readonly accounts: string;
  /** Held by whoever changes `accounts`, for the moment of a change. */
  readonly accountsLock: string;
  /** When each key was used last. */
  readonly keyUses: string;
  /** The owner's key and a newline, readable to the owner alone. */
  readonly ownerKey: string;
  /** Where the running daemon listens, for commands of the same user. */
  readonly address: string;
  readonly sequence: string;
  /** Job files that could not be read, out of the way. */
  readonly damaged: string;
  readonly index: string;
  /** Jobs that are not final: all that a start has to read in full. */
  readonly active: string;
  /** Jobs that are, in folders of a thousand ids. */
  readonly done: string;
}

/** The paths inside a data folder. */
export function dataLayout(folder: string): DataLayout {
  return {
    folder,
    lock: join(folder, 'lock'),
    accounts: join(folder, 'accounts.json'),
    accountsLock: join(folder, 'accounts.lock'),
    keyUses: join(folder, 'key-uses.json'),
    ownerKey: join(folder, 'owner-key'),
    address: join(folder, 'daemon.json'),
    sequence: join(folder, 'sequence.json'),
    damaged: join(folder, 'damaged'),
    index: join(folder, 'jobs', 'index'),
    active: join(folder, 'jobs', 'active'),
    done: join(folder, 'jobs', 'done'),
  };
}

/** The folders that the job store needs, those above others first. */
export function foldersOfJobs(layout: DataLayout): readonly string[] {
  return [dirname(layout.index), layout.active, layout.done, layout.damaged];
}

/** Name of the folder below `jobs/done` that an id belongs to. */
export function doneFolderName(id: number): string {
  return String(Math.floor(id / idsPerFolder));
}

/** The least id that can lie in a folder below `jobs/done`; null for a folder that is none of ours. */
export function firstIdOfDoneFolder(name: string): number | null {
  return /^(0|[1-9]\d{0,6})$/.test(name) ? Number(name) * idsPerFolder : null;
}

/** The folder in which the file of a job in this state lies. */
function jobFolder(layout: DataLayout, id: number, state: JobState): string {
  return isFinal(state) ? join(layout.done, doneFolderName(id)) : layout.active;
}

/** The file of a job in this state. It moves when a job becomes final, and back when it is resubmitted. */
export function jobFile(layout: DataLayout, id: number, state: JobState): string {
  return join(jobFolder(layout, id, state), jobFileName(id));
}

/** The name of a job's file, in whatever folder. */
export function jobFileName(id: number): string {
  return `${id}.json`;
}

/** The id in the name of a job's file; null for a name that is none. */
export function idOfJobFile(name: string): number | null {
  const digits = /^([1-9]\d{0,9})\.json$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
