import { dirname, join } from 'node:path';
import { isFinal, type JobState } from '../../../src/shared/states.js';

/** Number of ids per folder in `jobs/done`. */
const idsPerFolder = 1000;

/** The paths of everything that the stores keep in a data folder (contract, "What a data folder endures"). */
export interface DataLayout {
  readonly folder: string;
  readonly lock: string;
  readonly accounts: string;
  /** The lock that is held during a change of `accounts`. */
  readonly accountsLock: string;
  /** Saved credentials of all accounts, encrypted. */
  readonly credentials: string;
  /** The key of `credentials`, readable to the owner alone. */
  readonly credentialsKey: string;
  /** The key of the secrets in the database of `--database`, readable to the owner alone. */
  readonly databaseKey: string;
  /** Which migration the folder was filled by, and whether it has finished. */
  readonly migration: string;
  /** The id of the folder, of a daemon with a database. */
  readonly folderId: string;
  /** When each key was used last. */
  readonly keyUses: string;
  /** The names of workers that drain. */
  readonly drainedWorkers: string;
  /** The owner's key and a newline, readable to the owner alone. */
  readonly ownerKey: string;
  /** The address of the running daemon, for commands of the same user. */
  readonly address: string;
  readonly sequence: string;
  /** Quarantine for job files that could not be read. */
  readonly damaged: string;
  readonly index: string;
  /** The order of the last changes of jobs, while no daemon uses the folder. */
  readonly changes: string;
  /** Changes of jobs that are not yet in their files. */
  readonly journal: string;
  /** Jobs that are not final: the only ones that a start reads in full. */
  readonly active: string;
  /** Final jobs, in folders of a thousand ids. */
  readonly done: string;
  /** The logs of jobs, in folders of a thousand ids. */
  readonly jobLogs: string;
  /** The log of the daemon, and its earlier part. */
  readonly daemonLog: string;
  readonly earlierDaemonLog: string;
}

/** The paths inside a data folder. */
export function dataLayout(folder: string): DataLayout {
  return {
    folder,
    lock: join(folder, 'lock'),
    accounts: join(folder, 'accounts.json'),
    accountsLock: join(folder, 'accounts.lock'),
    credentials: join(folder, 'credentials.json'),
    credentialsKey: join(folder, 'credentials-key'),
    databaseKey: join(folder, 'database-key'),
    migration: join(folder, 'migration.json'),
    folderId: join(folder, 'folder-id'),
    keyUses: join(folder, 'key-uses.json'),
    drainedWorkers: join(folder, 'drained-workers.json'),
    ownerKey: join(folder, 'owner-key'),
    address: join(folder, 'daemon.json'),
    sequence: join(folder, 'sequence.json'),
    damaged: join(folder, 'damaged'),
    index: join(folder, 'jobs', 'index'),
    changes: join(folder, 'jobs', 'changes.json'),
    journal: join(folder, 'jobs', 'journal'),
    active: join(folder, 'jobs', 'active'),
    done: join(folder, 'jobs', 'done'),
    jobLogs: join(folder, 'logs', 'jobs'),
    daemonLog: join(folder, 'logs', 'daemon.log'),
    earlierDaemonLog: join(folder, 'logs', 'daemon.1.log'),
  };
}

/** The folders that the job store needs, parents first. */
export function foldersOfJobs(layout: DataLayout): readonly string[] {
  return [dirname(layout.index), layout.journal, layout.active, layout.done, layout.damaged];
}

/** Name of the folder in `jobs/done` that an id belongs to. */
export function doneFolderName(id: number): string {
  return String(Math.floor(id / idsPerFolder));
}

/** The smallest id of a folder in `jobs/done`; null for a folder of another origin. */
export function firstIdOfDoneFolder(name: string): number | null {
  return /^(0|[1-9]\d{0,6})$/.test(name) ? Number(name) * idsPerFolder : null;
}

/** The folder of a job's file, by the job's state. */
function jobFolder(layout: DataLayout, id: number, state: JobState): string {
  return isFinal(state) ? join(layout.done, doneFolderName(id)) : layout.active;
}

/**
 * The path of a job's file, by the job's state. The file moves when the job becomes final, and back when it
 * is resubmitted.
 */
export function jobFile(layout: DataLayout, id: number, state: JobState): string {
  return join(jobFolder(layout, id, state), jobFileName(id));
}

/** The path of a job's log. */
export function jobLogFile(layout: DataLayout, id: number): string {
  return join(layout.jobLogs, doneFolderName(id), `${id}.log`);
}

/** The id in the name of a job's log; null for other names. */
export function idOfJobLog(name: string): number | null {
  const digits = /^([1-9]\d{0,9})\.log$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The name of a job's file, in any folder. */
export function jobFileName(id: number): string {
  return `${id}.json`;
}

/** The id in the name of a job's file; null for other names. */
export function idOfJobFile(name: string): number | null {
  const digits = /^([1-9]\d{0,9})\.json$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
