import { inPlaceLabel, serviceLabel } from '../../jobs/required-labels.js';
import type { WorkerCapabilities } from '../../jobs/worker-protocol.js';
import { checkCombination } from '../../plan/check-combination.js';
import type { Capabilities } from '../../plan/plan-types.js';
import { ownServices } from '../../transports/services.js';
import type { OutputSelection } from '../job-queue.js';
import type { WaitingJob } from '../waiting-jobs.js';
import { type JobPart, partsOf, readParts, waitingJobOf } from './job-parts.js';

/** What a worker can do. */
export interface WorkerAbilities {
  readonly labels: ReadonlySet<string>;
  readonly capabilities: WorkerCapabilities;
}

/** Maximum number of remembered answers per worker. */
const maxAnswers = 1000;

/**
 * Answers by the needs of jobs. Jobs with equal settings are common, and the check of a set of outputs takes much
 * longer than a lookup.
 */
const answers = new WeakMap<WorkerCapabilities, Map<string, readonly PartAnswer[]>>();

/** Whether an ffmpeg has what a part of a job needs. */
interface PartAnswer {
  readonly part: JobPart;
  readonly isEncodable: boolean;
}

/** A part of a waiting job, and whether a machine can make it. */
interface SupportedPart {
  readonly part: JobPart;
  readonly isSupported: boolean;
}

/**
 * The parts of a waiting job, and which of them a machine can make: it has the labels, and its ffmpeg has what they
 * need.
 */
export function supportedParts(
  { labels, capabilities }: WorkerAbilities,
  job: Pick<WaitingJob, 'requires' | 'needsKey'>,
): readonly SupportedPart[] {
  const hasAll = (required: readonly string[]) => required.every((label) => labels.has(label));
  const hasLabels = hasAll(job.requires);
  return answersFor(capabilities, job).map(({ part, isEncodable }) => ({
    part,
    isSupported: hasLabels && isEncodable && hasAll(part.requires),
  }));
}

function answersFor(
  capabilities: WorkerCapabilities,
  job: Pick<WaitingJob, 'needsKey'>,
): readonly PartAnswer[] {
  const known = answers.get(capabilities) ?? new Map<string, readonly PartAnswer[]>();
  answers.set(capabilities, known);
  const answer = known.get(job.needsKey);
  if (answer !== undefined) return answer;
  const asSets = toCapabilities(capabilities);
  const result = readParts(job).map((part) => ({
    part,
    isEncodable: part.needs.every(
      ({ settings, filename }) => checkCombination(settings, filename, asSets, 'output').ok,
    ),
  }));
  if (known.size >= maxAnswers) known.clear();
  known.set(job.needsKey, result);
  return result;
}

/**
 * The daemon's own abilities. Its only labels are the services whose keys are in its environment, and its id, for inputs
 * that it reads in place.
 */
export function ownAbilities(
  { encoders, filters, muxers, version, hasFpsMode }: Capabilities,
  daemonId: string,
): WorkerAbilities {
  const names = { encoders: [...encoders], filters: [...filters], muxers: [...muxers] };
  const labels = new Set([...ownServices().map(serviceLabel), inPlaceLabel(daemonId)]);
  return { labels, capabilities: { version, hasFpsMode, ...names } };
}

/** The capabilities of a worker, as the plan needs them. */
export function toCapabilities({ encoders, filters, muxers, ...rest }: WorkerCapabilities): Capabilities {
  return { ...rest, encoders: new Set(encoders), filters: new Set(filters), muxers: new Set(muxers) };
}

/** Positions of parts in a job. */
type Positions = ReadonlySet<number>;

/**
 * What a machine takes of a waiting job: all outputs that it can make, unless another machine can make these and more.
 * The same holds among the outputs that may share the decoding of the input, so that no decoding is repeated that one
 * machine could share. Each output that a connected machine can make is taken by one. `others` returns what the
 * connected machines can do.
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
