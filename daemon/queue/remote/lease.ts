import { VencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import type { Change } from '../../jobs/legal-changes.js';
import type { Run, RunHandler, StopReason } from '../../jobs/run.js';
import type { HeartbeatRequest } from '../../jobs/worker-protocol.js';

/** Calls the function after this many milliseconds. Returns what cancels that. */
export type StartTimer = (callback: () => void, ms: number) => () => void;

/** Does not keep the process running. */
const startRealTimer: StartTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms).unref();
  return () => clearTimeout(timer);
};

/** The dependencies of a lease. */
interface LeaseOptions {
  readonly leaseMs: number;
  /** A real timer by default. */
  readonly startTimer?: StartTimer;
  /** Whether its worker may report to another daemon, so that nothing here can wait until it has stopped. */
  readonly isShared: boolean;
  /** Called once if the worker has not reported for that long. */
  readonly onExpired: (lease: Lease) => void;
  /** Called once when the run has ended, also if another daemon has ended the job. */
  readonly onEnded: (lease: Lease) => void;
}

/** Reasons for which a run ends at once: nothing has to wait for the worker. */
const immediateReasons: readonly StopReason[] = [
  'worker-lost',
  'worker-released',
  'daemon-stopped',
  'passed-on',
];

/**
 * The right of a remote worker to process one job, for as long as it reports. It is the run of the job as the queue
 * sees it: the handler of the run ends when the job does, or when the worker has confirmed that it stopped. Until then
 * no other worker gets the job. If daemons share their workers, the run ends when it is stopped: the record of the job
 * says why, and any daemon answers its worker.
 */
export class Lease {
  readonly worker: string;
  /** How fast its encoders run, as a multiple of real time, when the worker last said so; null if it never has. */
  speed: number | null = null;
  /**
   * Short id of the worker key of its worker; null until a worker that holds it since before this start has reported.
   */
  keyId: string | null = null;
  readonly #options: LeaseOptions;
  #run: Run | null = null;
  #hasEnded = false;
  #cancelTimer: () => void = () => {};
  #begin: (run: Run) => void = () => {};
  #finish: () => void = () => {};

  /** Resolves when the handler runs. */
  readonly begun: Promise<Run> = new Promise((resolve) => {
    this.#begin = resolve;
  });
  readonly #finished: Promise<void> = new Promise((resolve) => {
    this.#finish = resolve;
  });

  constructor(worker: string, options: LeaseOptions) {
    this.worker = worker;
    this.#options = options;
  }

  /** The handler of the run. Resolves when the worker has nothing more to do with the job. */
  readonly handler: RunHandler = async (run) => {
    this.#run = run;
    const onAbort = () => {
      if (this.#options.isShared || immediateReasons.includes(run.signal.reason)) this.#finish();
    };
    run.signal.addEventListener('abort', onAbort, { once: true });
    if (run.signal.aborted) onAbort();
    this.renew();
    this.#begin(run);
    try {
      await this.#finished;
    } finally {
      this.#cancelTimer();
      run.signal.removeEventListener('abort', onAbort);
      this.#hasEnded = true;
      this.#options.onEnded(this);
    }
  };

  /** Whether the run has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The job as it was claimed; null before the run has begun. */
  get job(): Job | null {
    return this.#run?.job ?? null;
  }

  /** Whether the worker must stop the programs of the run. */
  get isPaused(): boolean {
    return this.#run?.pause?.isOn === true;
  }

  /** The token of the claim; null before the run has begun. */
  get token(): string | null {
    return this.#run?.job.claim ?? null;
  }

  /** Why the worker must stop; null if it goes on. */
  get stopReason(): StopReason | null {
    const signal = this.#run?.signal;
    if (signal?.aborted !== true) return null;
    // Only the daemon takes a claim away from a worker that reports: it is about to stop the run.
    return signal.reason === 'claim-lost' ? 'cancelled' : signal.reason;
  }

  /** The worker has reported. */
  renew(): void {
    this.#cancelTimer();
    if (this.#hasEnded) return;
    const { startTimer = startRealTimer, leaseMs, onExpired } = this.#options;
    this.#cancelTimer = startTimer(() => onExpired(this), leaseMs);
  }

  /** Stores a change of the worker; see `Run.change`. */
  async change(changeNumber: number, change: Change): Promise<Job> {
    this.renew();
    const run = this.#run;
    if (run === null) throw new VencError('ClaimLostError', 'The claim has not begun.');
    const job = await run.change(change, changeNumber);
    if (isFinal(job.state)) this.#finish();
    return job;
  }

  /** The worker has reported progress. */
  report(progress: HeartbeatRequest['progress']): void {
    for (const { id, ...fileProgress } of progress) this.#run?.progress(id, fileProgress);
    const speeds = progress.flatMap(({ speed }) => speed ?? []);
    if (speeds.length > 0) this.speed = Math.max(...speeds);
  }

  /** The worker has stopped, or cannot be running any more. */
  end(): void {
    this.#finish();
  }
}
