import type { VencError } from '../../src/shared/errors.js';
import { withFields } from '../../src/shared/util/log.js';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import type { Run, RunHandler } from '../jobs/run.js';
import type { WorkerClosure } from '../jobs/worker-protocol.js';
import { runCountFor } from '../pipeline/concurrency-limits.js';
import type { ContextOfRun } from '../pipeline/pipeline-context.js';
import type { ScheduleState } from '../queue/slot-schedule.js';
import { registerTransports } from '../transports/registry.js';
import type { WorkerContext } from './create-worker-context.js';
import { checkPlace, createDaemonFilesTransport } from './daemon-files-transport.js';
import { type ClaimOutcome, RemoteRun } from './remote-run.js';
import { createRemoteCredentials, untilAnswered, type WorkerClient } from './worker-client.js';
import type { ReceivedClaim, WorkerSession } from './worker-session.js';

/** What the loop of a joined worker needs. */
interface WorkerLoopDeps {
  readonly options: {
    readonly jobs: number;
    /** Runs one job and ends. */
    readonly isOnce: boolean;
    /** How long running jobs may go on after a stop, in seconds. */
    readonly graceSeconds: number;
  };
  readonly context: WorkerContext;
  readonly client: WorkerClient;
  readonly session: WorkerSession;
  /** The runs by the id of their job. The loop keeps it up to date. */
  readonly runs: Map<number, RemoteRun>;
  /** Aborted when no further jobs are taken. */
  readonly stopping: AbortController;
  readonly onConnection: (error: VencError | null) => void;
  /** Called when the daemon asks the worker to end. It aborts `stopping`. */
  readonly onDrain: () => void;
}

/** How long a worker tries to give a job back, in milliseconds. The lease ends anyway. */
const endTimeoutMs = 10_000;
/** How long a stopped worker waits for the answer to its last request for a job, in milliseconds. */
const lastPollMs = 3_000;

/** Between two reports of a worker that takes no jobs now, in milliseconds: well within a lease. */
const closedReportMs = 10_000;

function closureOf({ closedBy, opensAt }: ScheduleState): WorkerClosure | null {
  return closedBy === null ? null : { by: closedBy, until: opensAt?.toISOString() ?? null };
}

/**
 * Takes jobs and runs them until it is stopped. One request for a job waits at the daemon at a time, so that several
 * workers share a queue evenly. More jobs run than are encoded at once: others are transferred meanwhile.
 */
export class WorkerLoop {
  readonly #deps: WorkerLoopDeps;
  readonly #handler: RunHandler;
  /** The last task of each job: a job that comes back to this worker waits until nothing of its earlier run is left. */
  readonly #tasks = new Map<number, Promise<void>>();
  readonly #polls = new AbortController();
  #lastOutcome: ClaimOutcome | null = null;
  #rejection: VencError | null = null;
  #stopCount = 0;

  constructor(deps: WorkerLoopDeps) {
    this.#deps = deps;
    this.#handler = deps.context.createHandler((run) => this.#contextOf(run));
  }

  /**
   * Resolves to how the last claim ended once the loop is stopped; null if there was none. Rejects if the daemon no
   * longer admits the worker.
   */
  async run(): Promise<ClaimOutcome | null> {
    const { options, session, stopping, runs } = this.#deps;
    const { schedule } = this.#deps.context;
    const unfollow = schedule.onChange(() => {
      for (const run of runs.values()) run.setOutsideHours(schedule.state.isFrozen);
    });
    const { signal } = stopping;
    const maxRuns = options.isOnce ? 1 : runCountFor(options.jobs);
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      while (!signal.aborted) {
        if (this.#tasks.size >= maxRuns) {
          await Promise.race([stopped, ...this.#tasks.values()]);
          continue;
        }
        const closed = closureOf(schedule.state);
        const received = await session.nextClaim(this.#polls.signal, closed);
        if (closed !== null) {
          const opens = AbortSignal.any([signal, timeoutSignal(closedReportMs)]);
          await schedule.whenOpen(opens).catch(() => {});
        }
        if (received === null) continue;
        this.#start(received);
        if (options.isOnce) stopping.abort();
      }
    } catch (error) {
      if (!this.#polls.signal.aborted) this.#reject(error as VencError);
    }
    while (this.#tasks.size > 0) await Promise.all(this.#tasks.values());
    unfollow();
    await session.leave();
    if (this.#rejection !== null) throw this.#rejection;
    return this.#lastOutcome;
  }

  /**
   * Takes no further jobs, and gives back those that do not end in the grace period. A second call ends the grace
   * period.
   */
  stop(): void {
    const { options, context, session, runs, stopping } = this.#deps;
    this.#stopCount += 1;
    const release = () => {
      for (const run of runs.values()) run.stop('worker-released');
    };
    if (this.#stopCount > 1) {
      release();
      return;
    }
    const count = runs.size;
    context.log(
      'info',
      count === 0
        ? 'Stopping: no job is running.'
        : `Stopping: waiting up to ${options.graceSeconds} s (--grace) for ${count === 1 ? '1 running job' : `${count} running jobs`}; what has not ended then goes back to the daemon.`,
    );
    stopping.abort();
    // The daemon answers the request that waits there. To end it here would lose a job that is being given at this
    // moment.
    void session.leave();
    setTimeout(() => this.#polls.abort(), lastPollMs).unref();
    for (const run of runs.values()) run.drain();
    setTimeout(release, options.graceSeconds * 1000).unref();
  }

  #reject(error: VencError): void {
    this.#rejection ??= error;
    this.#deps.stopping.abort();
    this.#polls.abort();
    for (const run of this.#deps.runs.values()) run.stop('worker-lost');
  }

  #start({ claim, requestedAt }: ReceivedClaim): void {
    const { client, context, session, runs, onConnection, onDrain } = this.#deps;
    const { job } = claim;
    const earlier = this.#tasks.get(job.id);
    const remote = new RemoteRun(claim, requestedAt, {
      client,
      workerId: () => session.joined.workerId,
      leaseMs: session.joined.leaseSeconds * 1000,
      heartbeatMs: session.joined.heartbeatSeconds * 1000,
      onDrain,
      onRejected: (error) => this.#reject(error),
      onConnection,
    });
    remote.setOutsideHours(context.schedule.state.isFrozen);
    if (this.#stopCount > 0) remote.stop('worker-released');
    const task = (async () => {
      await earlier;
      runs.set(job.id, remote);
      const log = withFields(context.log, { jobId: job.id });
      const end = () => this.#end(job.id, claim.token);
      this.#lastOutcome = await remote.execute({ handler: this.#handler, log, end });
      if (!remote.isDone) log('warn', `Job ${job.id} was stopped: ${explain(this.#lastOutcome)}.`);
      if (runs.get(job.id) === remote) runs.delete(job.id);
    })().finally(() => {
      if (this.#tasks.get(job.id) === task) this.#tasks.delete(job.id);
    });
    this.#tasks.set(job.id, task);
  }

  async #end(jobId: number, token: string): Promise<void> {
    const { client, context } = this.#deps;
    const send = () => client.send({ method: 'POST', path: `/claims/${jobId}/end`, claim: token });
    await untilAnswered(send, { signal: timeoutSignal(endTimeoutMs) }).catch(() =>
      context.log(
        'warn',
        `Job ${jobId} could not be returned to the daemon, which gives it to another worker when the lease is over.`,
      ),
    );
  }

  /** The transports and credentials of a run: those that go through the daemon have the token of its claim. */
  #contextOf({ job }: Run): ContextOfRun {
    const { client, context, runs } = this.#deps;
    const run = runs.get(job.id);
    if (run === undefined) throw new TypeError('the run has not started');
    const claim = { jobId: job.id, token: run.token, signal: run.run.signal };
    const { stallTimeoutMs, onRetry } = context;
    const files = createDaemonFilesTransport({ client, claim, stallTimeoutMs, onRetry });
    return {
      transports: registerTransports([...context.networkTransports, files]),
      savedCredentials: createRemoteCredentials(client, claim),
      checkPlaces: ({ destination }) => checkPlace(client, claim, destination),
    };
  }
}

const explanations: Readonly<Partial<Record<ClaimOutcome, string>>> = {
  cancelled: 'it was cancelled',
  resubmitted: 'it was submitted again',
  'worker-released': 'this worker stops, and the job goes back to the daemon',
  'worker-lost': 'this worker no longer holds it',
};

function explain(outcome: ClaimOutcome): string {
  return explanations[outcome] ?? outcome;
}
