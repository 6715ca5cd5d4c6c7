import { partsOf } from '../job-parts.js';
import type { OutputSelection } from '../job-queue.js';
import { waitingJobOf } from '../waiting-job-of.js';
import type { WaitingJob } from '../waiting-jobs.js';
import { supportedParts, type WorkerAbilities } from './machine-abilities.js';

/** Positions of parts in a job. */
type Positions = ReadonlySet<number>;

/**
 * What a machine takes of a waiting job: all outputs that it can make, unless another machine can make these and more. The same holds among the
 * outputs that may share the decoding of the input, so that no decoding is repeated that one machine could share. Each output that a
 * connected machine can make is taken by one. `others` returns what the connected machines can do.
 */
export function selectionFor(
  machine: WorkerAbilities,
  others: () => Iterable<WorkerAbilities>,
): OutputSelection {
  return {
    accepts: (job) => takenParts(machine, others, job) !== null,
    outputsOf(job) {
      const taken = takenParts(machine, others, waitingJobOf(job));
      const parts = partsOf(job);
      if (taken?.size === parts.length) return null;
      return parts.flatMap(({ outputIds }, index) => (taken?.has(index) ? outputIds : []));
    },
  };
}

/** The parts that a machine takes; null if it takes none of a job that has any. */
function takenParts(
  machine: WorkerAbilities,
  others: () => Iterable<WorkerAbilities>,
  job: WaitingJob,
): Positions | null {
  const answers = supportedParts(machine, job);
  const own = positionsOf(answers);
  if (own.size === answers.length) return own;
  if (own.size === 0) return null;
  const sets = [...others()].map((other) => positionsOf(supportedParts(other, job)));
  if (sets.some((other) => hasMore(other, own))) return null;
  const decodingOf = (index: number) => answers[index]?.part.decoding;
  const taken = [...own].filter((index) => {
    const among = (set: Positions) =>
      new Set([...set].filter((one) => decodingOf(one) === decodingOf(index)));
    return !sets.some((other) => hasMore(among(other), among(own)));
  });
  return taken.length === 0 ? null : new Set(taken);
}

function positionsOf(answers: ReturnType<typeof supportedParts>): Positions {
  return new Set(answers.flatMap(({ isSupported }, index) => (isSupported ? [index] : [])));
}

/** Whether a set has all of another one, and more. */
function hasMore(set: Positions, other: Positions): boolean {
  return set.size > other.size && [...other].every((index) => set.has(index));
}
