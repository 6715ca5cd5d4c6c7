import type { ExitCode } from '../shared/exit-codes.js';
import type { JobProgressRecord, JobRecord } from '../shared/records.js';

/*
 * Terms. The *screen* watches jobs; each has *files*, its input and its outputs. An *order* is what the person asks
 * of the service from the screen: to cancel or to resubmit a job. Times are milliseconds since 1970, durations
 * milliseconds. Every text in here came from a service or a file name and is free of control characters.
 */

/** What the screen knows of the input or of one output of a job. */
export interface WatchedFile {
  readonly id: number;
  readonly kind: 'input' | 'output';
  /** The service's word; a foreign service may have words of its own. */
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
  /** Bytes of the file, once they are known. */
  readonly sizeBytes: number | null;
  /** Why it failed, one sentence. */
  readonly failure: string | null;
}

/** Why a job cannot be watched, and the exit code that follows from it. */
export interface JobUnavailable {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** What the screen knows of one job. */
export interface WatchedJob {
  readonly id: number;
  /** null until the service has told anything of it. */
  readonly state: string | null;
  /** The state as the screen shows it: `queued` for a job whose outputs all wait to be encoded. */
  readonly displayState: string | null;
  readonly percent: number;
  /** The input first. Empty until the service has told anything of them. */
  readonly files: readonly WatchedFile[];
  /** Names to show, by the id of the input or output: file name or label. */
  readonly names: ReadonlyMap<number, string>;
  /** Bytes of the files that are known, by the id of the input or output. */
  readonly sizes: ReadonlyMap<number, number>;
  /** Milliseconds to go when the last progress came; null if nobody knows. */
  readonly etaMs: number | null;
  readonly unavailable: JobUnavailable | null;
  /** When the screen learnt that it is over; null while it is not. */
  readonly endedAtMs: number | null;
}

/** What the person may ask of the service. */
export interface Command {
  readonly verb: 'cancel' | 'resubmit';
  readonly jobId: number;
}

/** What the last line of the screen is about: the keys, a question, an order on its way, or a remark. */
export type Footer =
  | { readonly kind: 'keys' }
  | { readonly kind: 'question'; readonly command: Command }
  | { readonly kind: 'sending'; readonly command: Command }
  | { readonly kind: 'remark'; readonly text: string };

/** How a line is meant: decides its colour where colours are allowed. */
export type Tone = 'plain' | 'good' | 'bad' | 'busy' | 'quiet';

/** One line of what just happened. */
export interface LogLine {
  /** Counts the lines of the screen's life: two lines may be equal in all else. */
  readonly serial: number;
  readonly atMs: number;
  readonly text: string;
  readonly tone: Tone;
}

/** A line that has no place in the log yet. */
export type LogEntry = Omit<LogLine, 'serial'>;

/** Everything that is on the screen. A new value after every event, never edited. */
export interface WatchState {
  readonly jobs: readonly WatchedJob[];
  /** Whether every active job is watched: new ones come, and those that are over leave after a moment. */
  readonly watchesAllActive: boolean;
  /** What the jobs that have left the screen ended with: the code of the first that did not finish, else 0. */
  readonly removedExitCode: ExitCode;
  /** Whether the screen still asks the service which jobs are active. */
  readonly isFindingJobs: boolean;
  /** Place of the selected job in `jobs`. */
  readonly selected: number;
  /** Whether the files of the selected job are shown. */
  readonly isOpen: boolean;
  /** Whether the keys are explained, in the place of the jobs. */
  readonly isHelp: boolean;
  readonly footer: Footer;
  /** Newest last. */
  readonly log: readonly LogLine[];
  readonly unreachableSinceMs: number | null;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Whether the person has left. */
  readonly hasLeft: boolean;
}

/** The keys that mean something, whatever bytes the terminal sends for them. */
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
  | 'help'
  | 'yes'
  | 'no'
  | 'quit';

/** Everything that can happen to the screen. */
export type WatchEvent =
  /** Jobs that are active and were not watched yet, where the person named none. */
  | { readonly type: 'found'; readonly jobs: readonly JobRecord[] }
  | { readonly type: 'progress'; readonly job: JobProgressRecord & { readonly id: number } }
  /** A job's details: they tell the names of its files. */
  | { readonly type: 'details'; readonly job: JobRecord }
  | { readonly type: 'final'; readonly job: JobRecord }
  /** The service does not answer, and answers again. */
  | { readonly type: 'unreachable' }
  | { readonly type: 'back' }
  /** A job cannot be watched any longer: there is none of that id, or the key was refused. */
  | { readonly type: 'lost'; readonly id: number; readonly unavailable: JobUnavailable }
  | { readonly type: 'key'; readonly key: WatchKey }
  | { readonly type: 'obeyed'; readonly command: Command }
  | { readonly type: 'refused'; readonly command: Command; readonly message: string }
  /** Time went by: durations on the screen go on. */
  | { readonly type: 'tick' };
