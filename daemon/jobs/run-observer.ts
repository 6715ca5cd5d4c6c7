import type { Job } from './job.js';
import type { Change } from './legal-changes.js';

/** The stages of a run. */
export const stageNames = [
  'download',
  'inspect',
  'plan',
  'encode',
  'verify',
  'ladder',
  'search',
  'check',
  'thumbnails',
  'package',
  'deliver',
] as const;

/** One stage of a run, or one part of it: each step of an encode is a stage of its own. */
export interface Stage {
  readonly name: (typeof stageNames)[number];
  /** The outputs that it is for; absent for the stages of the input. */
  readonly outputIds?: readonly number[];
}

/** How a stage or a run ended: without an error, with an error, or because the run was stopped, for a `StopReason`. */
export type StageOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'stopped'; readonly reason: string };

/** Observes one run. Its functions return at once and never throw. */
export interface RunObservation {
  /** Called when a stage begins. The returned function is called when it ends. */
  startStage(stage: Stage): (outcome: StageOutcome) => void;
  /** Called after each stored change, with the job that it led to. */
  changed(change: Change, job: Job): void;
  end(outcome: StageOutcome): void;
}

/** Observes runs, for metrics and traces. */
export interface RunObserver {
  /** Called when a run begins. */
  startRun(job: Job): RunObservation;
}

/** One attempt to deliver a notification. */
export interface NotificationAttempt {
  readonly jobId: number;
  /** Null if the notification is about the whole job. */
  readonly outputId: number | null;
  readonly kind: 'webhook' | 'mail';
  /** `failed`: it is tried again. `gave-up`: it was the last attempt. */
  readonly result: 'delivered' | 'failed' | 'gave-up';
  /** When the attempt began, in milliseconds since 1970. */
  readonly startedMs: number;
  readonly seconds: number;
}

/** What one run of ffmpeg or ffprobe used. */
export interface ProgramUsage {
  readonly program: 'ffmpeg' | 'ffprobe';
  /** Duration of the run. */
  readonly seconds: number;
  /** Peak of its resident memory when it last printed something; null if unknown. */
  readonly peakMemoryBytes: number | null;
  /** Processor time of all its threads; null if unknown. */
  readonly cpuSeconds: number | null;
}
