import type { QueuePause } from '../client/job-progress.js';
import type { ExitCode } from '../shared/exit-codes.js';
import type { JobProgressRecord, JobRecord } from '../shared/records.js';

/*
 * Terms. The *screen* watches jobs; each job has *files*, its input and its outputs. A *command* is a request to the
 * service from the screen: to cancel or to resubmit a job. Times are milliseconds since 1970, durations milliseconds.
 * All texts from a service or a file name have their control characters removed.
 */

/** The known state of the input or an output of a job. */
export interface WatchedFile {
  readonly id: number;
  readonly kind: 'input' | 'output';
  /** The state as the service reports it; other services may have other states. */
  readonly state: string;
  readonly event: string | null;
  /** Percent of the event, 0-100. */
  readonly eventPercent: number | null;
  /** Percent of the whole file, 0-100. */
  readonly percent: number;
  readonly fps: number | null;
  /** Multiple of real time. */
  readonly speed: number | null;
  readonly etaMs: number | null;
  /** Size of the file; null if unknown. */
  readonly sizeBytes: number | null;
  /** Why it failed, in one sentence; null if it did not. */
  readonly failure: string | null;
}

/** Why a job cannot be watched, and the resulting exit code. */
export interface JobUnavailable {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** The known state of a job. */
export interface WatchedJob {
  readonly id: number;
  /** Null until the service has reported it. */
  readonly state: string | null;
  /** The state as the screen shows it: `queued` for a job whose outputs all wait to be encoded. */
  readonly displayState: string | null;
  readonly percent: number;
  /** The input first. Empty until the service has reported them. */
  readonly files: readonly WatchedFile[];
  /** Names to show (label or file name), by the id of the input or output. */
  readonly names: ReadonlyMap<number, string>;
  /** Known file sizes in bytes, by the id of the input or output. */
  readonly sizes: ReadonlyMap<number, number>;
  /** Remaining milliseconds at the last progress; null if unknown. */
  readonly etaMs: number | null;
  readonly unavailable: JobUnavailable | null;
  /** When the screen first saw that the job had ended; null while it has not. */
  readonly endedAtMs: number | null;
  /** Whether it ended so long ago that it is listed below the others. */
  readonly isSettled: boolean;
}

/** A command that the user can send to the service. */
export interface Command {
  readonly verb: 'cancel' | 'resubmit';
  readonly jobId: number;
}

/** The content of the last line of the screen: the keys, a question, a command being sent, or a message. */
export type Footer =
  | { readonly kind: 'keys' }
  | { readonly kind: 'question'; readonly command: Command }
  | { readonly kind: 'sending'; readonly command: Command }
  | { readonly kind: 'message'; readonly text: string };

/** The meaning of a line, which sets its colour if colours are allowed. */
export type Tone = 'plain' | 'good' | 'bad' | 'busy' | 'quiet';

/** A line of the log. */
export interface LogLine {
  /** A sequence number, because two lines may otherwise be equal. */
  readonly serial: number;
  readonly atMs: number;
  readonly text: string;
  readonly tone: Tone;
}

/** A log line without a sequence number. */
export type LogEntry = Omit<LogLine, 'serial'>;

/** Jobs that have ended and are no longer shown. They count in the totals of the screen. */
export interface RemovedJobs {
  readonly finishedCount: number;
  /** The words for the ends of the others, by their id: they may be resubmitted. */
  readonly unfinished: ReadonlyMap<number, string>;
  /** The exit code of the first that did not finish, else 0. */
  readonly exitCode: ExitCode;
}

/** The state of the screen. Immutable: every event creates a new value. */
export interface WatchState {
  readonly jobs: readonly WatchedJob[];
  /**
   * Whether all active jobs are watched: new ones are added, and ended ones are removed after a while, unless they have
   * failed.
   */
  readonly watchesAllActive: boolean;
  /** The jobs that are no longer shown. */
  readonly removed: RemovedJobs;
  /** Whether only failed jobs are shown. */
  readonly showsOnlyFailed: boolean;
  /** Whether the first list of active jobs is still being requested. */
  readonly isFindingJobs: boolean;
  /** Index of the selected job among those that are shown. */
  readonly selected: number;
  /** Whether the files of the selected job are shown. */
  readonly isOpen: boolean;
  /** Whether the help for the keys is shown instead of the jobs. */
  readonly isHelp: boolean;
  readonly footer: Footer;
  /** Newest last. */
  readonly log: readonly LogLine[];
  readonly unreachableSinceMs: number | null;
  /** The pause of the queue; null if it is not paused. */
  readonly pause: QueuePause | null;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Whether the user has left the screen. */
  readonly hasLeft: boolean;
}

/** The key actions, independent of the bytes that the terminal sends. */
export type WatchKey =
  | 'up'
  | 'down'
  | 'page up'
  | 'page down'
  | 'first'
  | 'last'
  | 'open'
  | 'close'
  | 'cancel'
  | 'resubmit'
  | 'failed'
  | 'dismiss'
  | 'help'
  | 'yes'
  | 'no'
  | 'quit';

/** An event of the screen. */
export type WatchEvent =
  /** Newly active jobs, if all active jobs are watched. */
  | { readonly type: 'found'; readonly jobs: readonly JobRecord[] }
  | { readonly type: 'progress'; readonly job: JobProgressRecord & { readonly id: number } }
  /** The details of a job, which contain the names of its files. */
  | { readonly type: 'details'; readonly job: JobRecord }
  | { readonly type: 'final'; readonly job: JobRecord }
  /** The service stopped answering, or answers again. */
  | { readonly type: 'unreachable' }
  | { readonly type: 'back' }
  /** The queue is paused, or no longer. */
  | { readonly type: 'queue'; readonly pause: QueuePause | null }
  /** A job can no longer be watched: it does not exist, or the key was rejected. */
  | { readonly type: 'lost'; readonly id: number; readonly unavailable: JobUnavailable }
  | { readonly type: 'key'; readonly key: WatchKey }
  | { readonly type: 'accepted'; readonly command: Command }
  | { readonly type: 'rejected'; readonly command: Command; readonly message: string }
  /** A second has passed, so that durations are updated. */
  | { readonly type: 'tick' };
