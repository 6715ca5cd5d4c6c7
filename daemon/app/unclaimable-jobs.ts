import type { Log } from '../../src/shared/util/log.js';
import { serviceLabel, servicesIn } from '../jobs/required-labels.js';
import { readParts } from '../queue/job-parts.js';
import type { JobQueue } from '../queue/job-queue.js';
import { supportedParts, type WorkerAbilities } from '../queue/remote/machine-abilities.js';
import type { WorkerRegistry } from '../queue/remote/worker-registry.js';
import type { WaitingJob } from '../queue/waiting-jobs.js';

/** What can run jobs. */
export interface Machines {
  readonly workers: Pick<WorkerRegistry, 'abilities'>;
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
export interface UnclaimableCheck {
  /** Why a waiting job cannot begin, as a sentence; null if all can. */
  reason(): string | null;
  /** Logs it if this job cannot begin. */
  inspect(job: WaitingJob): void;
}

/** Creates the check. The log names each job at most once in a row. */
export function createUnclaimableCheck({
  queue,
  machines: { workers, own },
  maxEncodes,
  log,
}: UnclaimableCheckDeps): UnclaimableCheck {
  const ownMachine = own === null ? [] : [own];
  let loggedId: number | null = null;
  /** What can run jobs now; null if the daemon encodes nothing and has no workers, which is the reason then, whatever jobs need. */
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
  const canMake = (index: number) =>
    machines.some((machine) => supportedParts(machine, job)[index]?.isSupported);
  const part = readParts(job).find((_, index) => !canMake(index));
  return part === undefined ? null : [...job.requires, ...part.requires];
}

function reasonFor(job: WaitingJob, machines: readonly WorkerAbilities[]): string {
  const requires = firstUnsupported(machines, job) ?? [];
  const hasLabels = ({ labels }: WorkerAbilities) => requires.every((label) => labels.has(label));
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
