import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '../../src/shared/states.js';
import { maxTimerMs } from '../../src/shared/util/timing.js';
import { defaultAccountId, type Job } from '../jobs/job.js';
import type { RunHandler, StopReason } from '../jobs/run.js';
import { acceptAll, type JobOffer, type JobQueue, type WorkOptions } from './job-queue.js';
import type { JobSource } from './job-source.js';
import { waitingJobOf } from './parts/job-parts.js';
import { PendingOffers } from './pending-offers.js';
import { type ClaimHolder, QueueRun, type QueueRunDeps } from './queue-run.js';
import type { WaitingJob } from './waiting-jobs.js';

/** The dependencies of a queue. */
export interface RunQueueOptions extends QueueRunDeps {
  readonly source: JobSource;
  /** Returns a new unguessable token for each claim. */
  readonly randomToken: () => string;
}

interface RunEntry {
  readonly run: QueueRun;
  readonly accountId: string;
}

/** Runs the jobs of a source in the slots of this process and in remote workers. */
export class RunQueue implements JobQueue {
  readonly #deps: QueueRunDeps;
  readonly #source: JobSource;
  readonly #randomToken: () => string;
  /** Jobs that were enqueued during a run. They wait from its end. */
  readonly #afterRun = new Map<number, WaitingJob>();
  /** Every run that occupies a slot or a worker, by job, including those that are still claiming their job. */
  readonly #runs = new Map<number, RunEntry>();
  readonly #activeByAccount = new Map<string, number>();
  readonly #offers = new PendingOffers();
  /**
   * A job that was taken and may begin only when all runs of this daemon have ended. A remote worker may take it
   * before.
   */
  #exclusiveJob: WaitingJob | null = null;
  #ownOffer: JobOffer | null = null;
  #slots = 0;
  #isFilling = false;
  #isFillRequested = false;
  #closing: Promise<void> | null = null;
  readonly #graceEnded = new AbortController();

  constructor({ source, randomToken, ...deps }: RunQueueOptions) {
    const onPartWaiting = (job: Job) => void this.enqueue(job);
    const { claims } = source;
    this.#deps = { ...deps, onPartWaiting, ...(claims === undefined ? {} : { claims }) };
    this.#source = source;
    this.#randomToken = randomToken;
    const followPauses = () => {
      for (const { run } of this.#runs.values()) run.followPauses();
      this.startRuns();
    };
    deps.pauses?.onChange(followPauses);
    deps.schedule?.onChange(followPauses);
  }

  get isShared(): boolean {
    return this.#source.isShared;
  }

  async enqueue(job: Job): Promise<void> {
    if (this.#closing !== null || this.#exclusiveJob?.id === job.id || job.isPaused === true) return;
    const waiting = waitingJobOf(job);
    if (this.#runs.has(job.id) && !this.isShared) this.#afterRun.set(job.id, waiting);
    else this.#source.add(waiting);
    this.startRuns();
  }

  work(handler: RunHandler, { slots, selection = acceptAll }: WorkOptions): void {
    if (this.#ownOffer !== null) throw new TypeError('The work of a queue can be started only once.');
    this.#ownOffer = { ...selection, worker: null, handler };
    this.#slots = slots;
    this.startRuns();
  }

  offer(offer: JobOffer, signal: AbortSignal): Promise<boolean> {
    if (this.#closing !== null || signal.aborted) return Promise.resolve(false);
    const taken = this.#offers.add(offer, signal);
    this.startRuns();
    return taken;
  }

  findWaiting(condition: (job: WaitingJob) => boolean): WaitingJob | null {
    return this.#source.find?.(condition) ?? null;
  }

  resume(job: Job, handler: RunHandler): void {
    const { claim, worker } = job;
    if (claim === null || worker === undefined) throw new TypeError(`No worker holds job ${job.id}.`);
    // The worker may have got the job again from another daemon.
    const earlier = this.#runs.get(job.id)?.run;
    if (earlier !== undefined && this.#close(earlier)) earlier.stop('passed-on');
    const run = this.#open(waitingJobOf(job), { token: claim, worker: worker.name });
    this.#source.resume?.(job);
    void run.execute(job, handler).then(() => this.#endAndFill(run));
  }

  renew(id: number): void {
    this.#source.renew?.(id);
  }

  followPause(job: Job): void {
    const isPaused = job.isPaused === true;
    const run = this.#runs.get(job.id)?.run;
    // It runs alone after crashes: when it goes on, others would run as well.
    if (isPaused && run?.isExclusive === true) run.stop('paused');
    else run?.setJobPaused(isPaused);
    if (isPaused) this.#leave(job.id);
    else if (this.#closing === null) this.#waitAgain(job, run);
    this.startRuns();
  }

  #waitAgain(job: Job, run: QueueRun | undefined): void {
    const isWaiting = job.state === 'waiting' || run?.isStopped === true;
    if (!isWaiting) return;
    if (run !== undefined && !this.isShared) this.#afterRun.set(job.id, waitingJobOf(job));
    else this.#source.add(waitingJobOf(job), { hasBegun: true });
  }

  async stop(id: number, reason: StopReason): Promise<void> {
    this.#leave(id);
    const run = this.#runs.get(id)?.run;
    run?.stop(reason);
    await run?.ended;
    this.startRuns();
  }

  /** Removes a job that waits. */
  #leave(id: number): void {
    this.#source.remove(id);
    this.#afterRun.delete(id);
    if (this.#exclusiveJob?.id !== id) return;
    this.#exclusiveJob = null;
    this.#source.ended?.(id, 'unsettled');
  }

  /** Another daemon has changed a job: stops its run if that has lost the job, or follows its pause. */
  observe(job: Job): void {
    const run = this.#runs.get(job.id)?.run;
    if (run === undefined) return;
    if (job.claim === run.holder.token && !isFinal(job.state)) {
      if (run.isJobPaused !== (job.isPaused === true)) this.followPause(job);
      return;
    }
    if (!run.hasBegun) return;
    if (job.state === 'cancelled') run.stop('cancelled');
    else this.lose(job.id);
  }

  /** Stops the run of a job that this process no longer holds. The job stays as it is stored. */
  lose(id: number): void {
    const run = this.#runs.get(id)?.run;
    run?.stop(run.isRemote ? 'passed-on' : 'claim-lost');
  }

  isRunning(id: number): boolean {
    return this.#runs.get(id)?.run.hasBegun ?? false;
  }

  running(): readonly number[] {
    return [...this.#runs.values()].filter(({ run }) => run.hasBegun).map(({ run }) => run.id);
  }

  close(graceMs: number): Promise<void> {
    if (this.#closing !== null) this.#graceEnded.abort();
    this.#closing ??= this.#drain(graceMs);
    return this.#closing;
  }

  /** Starts as many runs as there are free slots and workers, one after the other so that they begin in order. */
  startRuns(): void {
    this.#isFillRequested = true;
    if (this.#isFilling) return;
    this.#isFilling = true;
    void this.#startAll();
  }

  async #drain(graceMs: number): Promise<void> {
    this.#source.clear();
    this.#afterRun.clear();
    if (this.#exclusiveJob !== null) this.#source.putBack(this.#exclusiveJob);
    this.#exclusiveJob = null;
    this.#offers.clear();
    const runs = [...this.#runs.values()].map(({ run }) => run);
    for (const run of runs) run.drain();
    const allEnded = Promise.all(runs.map((run) => run.ended));
    const { signal } = this.#graceEnded;
    const grace = sleep(Math.min(graceMs, maxTimerMs), undefined, { signal }).catch(() => {
      // Ended early, by a second call or because no run is left.
    });
    await Promise.race([allEnded, grace]);
    this.#graceEnded.abort();
    for (const run of runs) run.stop('draining');
    await allEnded;
  }

  async #startAll(): Promise<void> {
    while (this.#isFillRequested) {
      this.#isFillRequested = false;
      for (;;) {
        const match = this.#match();
        // A source in memory answers at once: an enqueue or a stop in between would find neither the job nor its run.
        const found = match instanceof Promise ? await match : match;
        if (found === null) break;
        await this.#start(found.job, found.offer);
      }
    }
    // Here and not after an `await` of the caller: an enqueue in between would go unnoticed.
    this.#isFilling = false;
  }

  async #start(job: WaitingJob, offer: JobOffer): Promise<void> {
    if (this.#closing !== null) return this.#source.putBack(job);
    if (this.#exclusiveJob?.id === job.id) this.#exclusiveJob = null;
    if (this.#runs.has(job.id)) {
      this.#afterRun.set(job.id, job);
      return;
    }
    const { worker, outputsOf } = offer;
    const run = this.#open(job, { token: this.#randomToken(), worker, outputsOf });
    const claimed = await run.claim(() => this.#ownRunCount() > 1);
    if (claimed === 'needs-exclusive-run' || claimed === 'not-accepted') this.#keep(job, run, claimed);
    else if (claimed === 'passed-over') this.#end(run);
    // A worker may have disconnected since.
    else if (!this.#offers.take(offer)) await this.#abandon(run, claimed);
    else void run.execute(claimed, offer.handler).then(() => this.#endAndFill(run));
  }

  #isPaused(accountId: string): boolean {
    return this.#deps.pauses?.holds(accountId) === true;
  }

  /** The job to start now and who runs it; null if there is no such pair. */
  #match(): Match | null | Promise<Match | null> {
    // While all jobs are paused, the source is not even asked.
    if (this.#closing !== null || this.#isPaused(defaultAccountId)) return null;
    return this.#matchFirst([...this.#freeOffers()]);
  }

  /** Asks the source for each of the offers, from `index` on. */
  #matchFirst(offers: readonly JobOffer[], index = 0): Match | null | Promise<Match | null> {
    for (let position = index; position < offers.length; position += 1) {
      const offer = offers[position];
      if (offer === undefined) continue;
      const exclusive = this.#exclusiveJob;
      if (exclusive !== null && !this.#isPaused(exclusive.accountId)) {
        if (offer.worker === null ? this.#ownRunCount() === 0 : offer.accepts(exclusive))
          return { job: exclusive, offer };
        if (offer.worker === null) continue;
      }
      const { worker } = offer;
      const accepts = (job: WaitingJob) => !this.#isPaused(job.accountId) && offer.accepts(job);
      const job = this.#source.take({ worker, accepts }, this.#activeByAccount);
      if (job instanceof Promise)
        return job.then((taken) =>
          taken === null ? this.#matchFirst(offers, position + 1) : { job: taken, offer },
        );
      if (job !== null) return { job, offer };
    }
    return null;
  }

  *#freeOffers(): Iterable<JobOffer> {
    const runs = [...this.#runs.values()];
    const isOpen = (this.#deps.schedule?.state.closedBy ?? null) === null;
    const hasSlot = isOpen && this.#ownRunCount() < this.#slots && !runs.some(({ run }) => run.isExclusive);
    if (this.#ownOffer !== null && hasSlot) yield this.#ownOffer;
    yield* this.#offers;
  }

  #ownRunCount(): number {
    return [...this.#runs.values()].filter(({ run }) => !run.isRemote && !run.isPaused).length;
  }

  /** Ends a run whose worker has disconnected. The job that it has claimed waits again, before all others. */
  async #abandon(run: QueueRun, claimed: Job): Promise<void> {
    run.stop('worker-released');
    await run.releaseClaim();
    this.#end(run);
    if (this.#closing === null && !this.isShared) this.#source.putBack(waitingJobOf(claimed));
  }

  /** Ends a run that has not begun. Its job waits again, or until all runs of this daemon have ended. */
  #keep(job: WaitingJob, run: QueueRun, reason: 'needs-exclusive-run' | 'not-accepted'): void {
    this.#close(run);
    run.end();
    if (reason === 'needs-exclusive-run' && this.#closing === null) this.#exclusiveJob = job;
    else this.#source.putBack(job);
  }

  #open(job: WaitingJob, holder: ClaimHolder): QueueRun {
    const run = new QueueRun(job.id, holder, this.#deps);
    this.#runs.set(job.id, { run, accountId: job.accountId });
    this.#countActive(job.accountId, 1);
    return run;
  }

  #endAndFill(run: QueueRun): void {
    this.#end(run);
    this.startRuns();
  }

  #end(run: QueueRun): void {
    run.end();
    if (!this.#close(run)) return;
    const next = this.#afterRun.get(run.id);
    this.#afterRun.delete(run.id);
    // A shared source has given the job again already.
    if (next !== undefined && this.isShared) {
      this.#source.putBack(next);
    } else {
      this.#source.ended?.(run.id, run.outcome);
      if (next !== undefined) this.#source.add(next, { hasBegun: run.hasLeftOthers });
    }
  }

  /** Returns false if another run has replaced this one. */
  #close(run: QueueRun): boolean {
    const entry = this.#runs.get(run.id);
    if (entry?.run !== run) return false;
    this.#runs.delete(run.id);
    this.#countActive(entry.accountId, -1);
    return true;
  }

  #countActive(accountId: string, change: 1 | -1): void {
    const count = (this.#activeByAccount.get(accountId) ?? 0) + change;
    if (count === 0) this.#activeByAccount.delete(accountId);
    else this.#activeByAccount.set(accountId, count);
  }
}

interface Match {
  readonly job: WaitingJob;
  readonly offer: JobOffer;
}
