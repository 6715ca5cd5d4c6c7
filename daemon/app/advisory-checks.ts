import { isVencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';
import { settleWithin } from '../../src/shared/util/timing.js';
import type { HealthCheckResult } from '../actions/app-context.js';
import { isInPlaceLabel, serviceLabel, servicesIn } from '../jobs/required-labels.js';
import type { NotificationAttempt } from '../jobs/run-observer.js';
import { type WorkerState, workerTiming } from '../jobs/worker-protocol.js';
import type { JobQueue } from '../queue/job-queue.js';
import { readParts, waitingJobOf } from '../queue/parts/job-parts.js';
import { supportedParts, type WorkerAbilities } from '../queue/parts/part-selection.js';
import type { Workers } from '../queue/remote/workers.js';
import type { WaitingJob } from '../queue/waiting-jobs.js';
import type { JobStore } from '../store/job-store.js';
import { checkResult, maxHealthWaitMs } from './health.js';
import type { Records } from './records/records.js';

/**
 * How long jobs may wait while none runs and none changes, in milliseconds. Recovery and retries of writes take less.
 */
const blockedAfterMs = 60_000;
/** How long the check of the queue waits for the list of jobs, in milliseconds. */
const maxListWaitMs = 500;
/** The number of failed notifications, without a delivered one in between, that are reported. */
const failingAfterAttempts = 5;

/**
 * A worker that runs a job and has not reported for this long is reported: half of the time after which it loses the
 * job.
 */
const silentAfterMs = (workerTiming.lease * 1000) / 2;

/** The dependencies of the advisory checks. */
interface AdvisoryCheckOptions {
  readonly store: Pick<JobStore, 'list' | 'watch'>;
  readonly queue: Pick<JobQueue, 'running' | 'findWaiting'>;
  /** As in the health check, which asks first. Null or absent without a database. */
  readonly databaseProblem?: Records['databaseProblem'];
  /** Number of concurrent encodes (`--jobs`); null before the queue has started. */
  readonly maxEncodes: () => number | null;
  /** The remote workers that have joined. */
  readonly workers: () => readonly WorkerState[];
  /** What holds all jobs of this daemon back; null if nothing does. */
  readonly heldBackBy: () => HeldBackBy | null;
  readonly now: () => Date;
  /** Why ffmpeg runs without a sandbox although one is wanted if possible, as a sentence; null if it does not. */
  readonly sandboxProblem: () => string | null;
  readonly machines: Machines;
  readonly log: Log;
  /** Milliseconds of a clock that is never set back; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

/** Checks of things that deserve attention while jobs are still accepted. */
interface AdvisoryChecks {
  results(): Promise<readonly HealthCheckResult[]>;
  /** Takes note of an attempt to deliver a notification. */
  observeNotification(attempt: Pick<NotificationAttempt, 'result'>): void;
}

type HeldBackBy = 'pause' | 'hours' | 'load';

const heldBackReasons: Readonly<Record<HeldBackBy, string>> = {
  pause: 'The queue is paused: venc resume ends that.',
  hours: 'It is outside the hours of this daemon (--hours): venc resume says when they begin.',
  load: 'Other programs are busy, and this daemon starts jobs when they are not (--when-idle).',
};

/** Creates the advisory checks: the sandbox, the queue, the remote workers and the notifications. */
export function createAdvisoryChecks(options: AdvisoryCheckOptions): AdvisoryChecks {
  const { store, queue, elapsedMs = () => performance.now() } = options;
  let changedAtMs = elapsedMs();
  let failedAttempts = 0;
  const unclaimable = createUnclaimableCheck(options);
  store.watch((job) => {
    changedAtMs = elapsedMs();
    if (job.state === 'waiting') unclaimable.inspect(waitingJobOf(job));
  });
  // What a database does not answer is not known: another check says so.
  const hasWaiting = async (): Promise<boolean> => {
    const problem = await options.databaseProblem?.(maxHealthWaitMs);
    if (typeof problem === 'string') return false;
    const listed = store.list({ state: 'waiting', offset: 0, limit: 0 }).catch((error: unknown) => {
      if (isVencError(error, 'UnavailableError')) return null;
      throw error;
    });
    const found = await settleWithin(listed, maxListWaitMs, null);
    return found !== null && found.total > 0;
  };
  const checkQueue = async (): Promise<HealthCheckResult> => {
    // Somebody wanted it.
    const heldBackBy = options.heldBackBy();
    if (heldBackBy !== null)
      return { name: 'queue', ok: true, isRequired: false, reason: heldBackReasons[heldBackBy] };
    return checkResult('queue', await queueProblem(), false);
  };
  const queueProblem = async (): Promise<string | null> => {
    const reason = unclaimable.reason();
    if (reason !== null) return reason;
    const hasWorkers = options.workers().some(({ isDraining, isPaused }) => !isDraining && !isPaused);
    const maxEncodes = options.maxEncodes() ?? (hasWorkers ? 0 : null);
    if (maxEncodes === null || queue.running().length > 0) return null;
    if (!(await hasWaiting())) return null;
    if (maxEncodes === 0 && !hasWorkers)
      return 'Jobs are waiting, and this daemon encodes none (--jobs 0): no worker is connected.';
    const isBlocked = elapsedMs() - changedAtMs >= blockedAfterMs;
    if (!isBlocked) return null;
    return maxEncodes === 0
      ? 'Jobs are waiting, and no worker has taken one for a minute: venc workers shows their labels and versions.'
      : 'Jobs are waiting, and none has started for a minute: the log says why.';
  };
  const checkNotifications = (): string | null =>
    failedAttempts < failingAfterAttempts
      ? null
      : 'The latest attempts to deliver notifications all failed: the log says why.';
  // Without names: the result is readable without a key.
  const checkWorkers = (): string | null => {
    const nowMs = options.now().getTime();
    const silentMs = options
      .workers()
      .filter(({ jobIds }) => jobIds.length > 0)
      .map(({ lastSeenAt }) => nowMs - Date.parse(lastSeenAt))
      .filter((ms) => ms >= silentAfterMs);
    if (silentMs.length === 0) return null;
    const subject =
      silentMs.length === 1 ? 'A worker that runs jobs has' : `${silentMs.length} workers that run jobs have`;
    const seconds = Math.floor(Math.max(...silentMs) / 1000);
    return `${subject} not reported for ${seconds} s: venc workers shows which.`;
  };
  return {
    results: async () => [
      // Passed in any case: `--sandbox auto` permits ffmpeg to run without one, and `bwrap` does not start without one.
      { name: 'sandbox', ok: true, isRequired: false, reason: options.sandboxProblem() },
      await checkQueue(),
      checkResult('workers', checkWorkers(), false),
      checkResult('notifications', checkNotifications(), false),
    ],
    observeNotification({ result }) {
      failedAttempts = result === 'delivered' ? 0 : failedAttempts + 1;
    },
  };
}

/** What can run jobs. */
interface Machines {
  readonly workers: Pick<Workers, 'abilities'>;
  /** What the daemon itself can do; null if it has no ffmpeg. */
  readonly own: WorkerAbilities | null;
}

/** The dependencies of the check. */
interface UnclaimableCheckDeps {
  readonly queue: Pick<JobQueue, 'findWaiting'>;
  readonly machines: Machines;
  /** Number of concurrent encodes of the daemon itself (`--jobs`); null before the queue has started. */
  readonly maxEncodes: () => number | null;
  readonly log: Log;
}

/** Finds waiting jobs that cannot end because nothing that is connected can make one of their outputs. */
interface UnclaimableCheck {
  /** Why a waiting job cannot begin, as a sentence; null if all can. */
  reason(): string | null;
  /** Logs it if this job cannot begin. */
  inspect(job: WaitingJob): void;
}

/** Creates the check. The log names each job at most once in a row. */
function createUnclaimableCheck({
  queue,
  machines: { workers, own },
  maxEncodes,
  log,
}: UnclaimableCheckDeps): UnclaimableCheck {
  const ownMachine = own === null ? [] : [own];
  let loggedId: number | null = null;
  /**
   * What can run jobs now; null if the daemon encodes nothing and has no workers, which is the reason then, whatever
   * jobs need.
   */
  const connected = (): readonly WorkerAbilities[] | null => {
    const remote = workers.abilities();
    if (maxEncodes() !== 0) return [...ownMachine, ...remote];
    return remote.length === 0 ? null : remote;
  };
  const report = (job: WaitingJob, found: readonly WorkerAbilities[]): void => {
    const what = canRunPart(found, job) ? `Outputs of job ${job.id} wait` : `Job ${job.id} waits`;
    const reason = `${what}: ${reasonFor(job, found)}.`;
    if (loggedId !== job.id) log('warn', reason, { jobId: job.id });
    loggedId = job.id;
  };
  return {
    reason() {
      const found = connected();
      if (found === null) return null;
      const job = queue.findWaiting((waiting) => !canRunAll(found, waiting)) ?? null;
      if (job === null) return null;
      report(job, found);
      return unclaimableReason;
    },
    inspect(job) {
      const found = connected();
      if (found !== null && !canRunAll(found, job)) report(job, found);
    },
  };
}

/** Without ids and labels: it is readable without a key. */
const unclaimableReason =
  'A job waits that nothing that is connected can run: the log says which, and what it needs.';

/** Whether there is a machine for each part of a job. */
function canRunAll(machines: readonly WorkerAbilities[], job: WaitingJob): boolean {
  return firstUnsupported(machines, job) === null;
}

/** Whether there is a machine for a part of a job. */
function canRunPart(machines: readonly WorkerAbilities[], job: WaitingJob): boolean {
  return machines.some((machine) => supportedParts(machine, job).some(({ isSupported }) => isSupported));
}

/** The labels of the first part of a job that no machine can make; null if there is none. */
function firstUnsupported(machines: readonly WorkerAbilities[], job: WaitingJob): readonly string[] | null {
  const answers = machines.map((machine) => supportedParts(machine, job));
  const parts = answers[0]?.map(({ part }) => part) ?? readParts(job);
  const part = parts.find((_, index) => !answers.some((answer) => answer[index]?.isSupported));
  return part === undefined ? null : [...job.requires, ...part.requires];
}

function reasonFor(job: WaitingJob, machines: readonly WorkerAbilities[]): string {
  const requires = firstUnsupported(machines, job) ?? [];
  const hasLabels = ({ labels }: WorkerAbilities) => requires.every((label) => labels.has(label));
  if (requires.some((label) => isInPlaceLabel(label) && !machines.some(({ labels }) => labels.has(label))))
    return 'its input is read in place, which only the daemon on the machine of the file can do, and it runs no jobs';
  if (machines.length === 0) return 'no worker is connected, and this daemon has no ffmpeg';
  const missing = servicesIn(requires).filter(
    (service) => !machines.some(({ labels }) => labels.has(serviceLabel(service))),
  );
  if (missing.length > 0)
    return `nothing that is connected has keys for ${missing.join(', ')} in its environment`;
  const requested = requires.filter((label) => servicesIn([label]).length === 0);
  if (!machines.some(hasLabels)) {
    const labels = requested.join(', ');
    if (!machines.some((machine) => requested.every((label) => machine.labels.has(label))))
      return `no connected worker has the labels ${labels}`;
    // Each of the keys is somewhere: on this daemon or another worker.
    const place = requested.length === 0 ? 'no machine' : `no worker with the labels ${labels}`;
    return `${place} has all keys that the job needs in its environment (${servicesIn(requires).join(', ')}): set them there`;
  }
  return 'the ffmpeg of this daemon and those of the connected workers lack what the outputs need';
}
