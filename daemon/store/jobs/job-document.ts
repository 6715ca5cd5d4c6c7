import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ReportedWarning } from '../../../src/shared/settings/setting.js';
import { inputStates, isJobState, outputStates } from '../../../src/shared/states.js';
import { isTemporaryName } from '../../../src/shared/util/atomic-files.js';
import type { Disk } from '../../../src/shared/util/disk.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import type {
  AttemptRecord,
  ClaimingWorker,
  EndedClaim,
  IdempotencyRecord,
  InPlaceFile,
  Job,
  JobInput,
  JobOutput,
  JobThumbnail,
  LastProgress,
  Notification,
  NotificationTarget,
  OutputDestination,
} from '../../jobs/job.js';
import type { CaptionFileFacts } from '../../jobs/rendition-facts.js';
import { type ReadResult, readDocument, readDocumentNow } from '../data-folder/document.js';
import { idOfJobFile } from '../data-folder/layout.js';
import type { DamagedJobs } from './damaged-jobs.js';

/** The content of a job's file. */
export interface JobDocument {
  /** Incremented at every write: shows which of two files is newer if a crash left two. */
  readonly revision: number;
  readonly job: Job;
}

type Check = (value: unknown) => boolean;
type Checks<T> = Readonly<Record<keyof T, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isRecordOrNull: Check = (value) => value === null || isObject(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const oneOf =
  (texts: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && texts.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
function shapeOf<T>(checks: Checks<T>): Check {
  const fields = Object.entries<Check>(checks);
  return (value) => isObject(value) && fields.every(([name, check]) => check(value[name]));
}

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const isThumbnail = shapeOf<JobThumbnail>({
  id: isCount,
  url: isText,
  createdAt: isText,
  updatedAt: isText,
  destination: optional(isText),
  setIndex: optional(isCount),
  label: optional(isText),
  format: optional(oneOf(['png', 'jpg'])),
  width: optional(isCount),
  height: optional(isCount),
  sizeBytes: optional(isCount),
});

const fileChecks = {
  id: isCount,
  createdAt: isText,
  updatedAt: isText,
  finishedAt: isTextOrNull,
  media: isRecordOrNull,
  file: isRecordOrNull,
  failure: isRecordOrNull,
};

const isInPlaceFile = shapeOf<InPlaceFile>({
  identity: isText,
  sizeBytes: isCount,
  modifiedNs: isText,
  daemonId: isText,
});

const isInput = shapeOf<JobInput>({
  ...fileChecks,
  state: oneOf(inputStates),
  url: isText,
  connections: (value) => value === undefined || isCount(value),
  credentials: (value) => value === undefined || isText(value),
  aspera: (value) => value === undefined || isObject(value),
  expectedMd5: (value) => value === undefined || isText(value),
  inPlace: optional(isInPlaceFile),
});

const isDestination = shapeOf<OutputDestination>({ destination: isText, url: isText });

const isCaptionFile = shapeOf<CaptionFileFacts>({ name: isText, language: isTextOrNull, label: isText });

const isOutput = shapeOf<JobOutput>({
  ...fileChecks,
  state: oneOf(outputStates),
  label: isTextOrNull,
  settings: isObject,
  destination: isText,
  url: isText,
  secondary: (value) => value === undefined || isDestination(value),
  primaryUploadError: (value) => value === undefined || isText(value),
  rendition: (value) => value === undefined || isObject(value),
  requested: optional(isObject),
  hull: optional(listOf(isObject)),
  search: (value) => value === undefined || isObject(value),
  quality: (value) => value === undefined || isObject(value),
  captionFiles: (value) => value === undefined || listOf(isCaptionFile)(value),
  origins: (value) => value === undefined || isObject(value),
  thumbnails: listOf(isThumbnail),
  startedAt: optional(isText),
  deliverySeconds: optional((value) => typeof value === 'number'),
  deliveredFiles: (value) => value === undefined || listOf(isText)(value),
  warnings: (value) => value === undefined || listOf(isText)(value),
});

const isWarning = shapeOf<ReportedWarning>({ field: isText, message: isText });

const isLastProgress = shapeOf<LastProgress>({ id: isCount, percent: (value) => typeof value === 'number' });

const isClaimingWorker = shapeOf<ClaimingWorker>({ name: isText, token: isText, changeNumber: isCount });

const isEndedClaim = shapeOf<EndedClaim>({
  token: isText,
  outputIds: listOf(isCount),
  changeNumber: isCount,
});

const isIdempotencyRecord = shapeOf<IdempotencyRecord>({ key: isText, fingerprint: isText });

const isTarget = shapeOf<NotificationTarget>({
  url: isText,
  format: oneOf(['json', 'xml']),
  headers: (value) => isObject(value) && Object.values(value).every(isText),
});

const isNotification = shapeOf<Notification>({
  id: isText,
  outputId: (value) => value === null || isCount(value),
  target: isTarget,
  attempts: isCount,
  dueAt: isText,
  isResent: optional((value) => value === true),
});

const isAttemptRecord = shapeOf<AttemptRecord>({
  notificationId: isText,
  outputId: (value) => value === null || isCount(value),
  event: isText,
  destination: isText,
  attempt: isCount,
  at: isText,
  status: (value) => value === null || isCount(value),
  failure: isTextOrNull,
});

/** Defaults of the fields that were added later, for files that were written before. */
const addedFieldDefaults = {
  lastProgress: [],
  idempotency: null,
  notifications: [],
  pendingNotifications: [],
} as const satisfies Partial<Job>;

const addedFields = Object.keys(addedFieldDefaults) as (keyof typeof addedFieldDefaults)[];

/** A job as files of any version have it. */
type StoredJob = Omit<Job, keyof typeof addedFieldDefaults> & Partial<Job>;

// Fields that are added to jobs later must be optional here, or every older job counts as damaged.
const isCompleteJob = shapeOf<Job>({
  id: isCount,
  accountId: isText,
  state: (value) => typeof value === 'string' && isJobState(value),
  test: (value) => typeof value === 'boolean',
  isPrivate: optional((value) => value === true),
  passThrough: isTextOrNull,
  inputName: optional(isText),
  grouping: isTextOrNull,
  priority: optional(Number.isSafeInteger),
  isPaused: optional((value) => value === true),
  requires: optional(listOf(isText)),
  services: optional(listOf(isText)),
  createdAt: isText,
  updatedAt: isText,
  submittedAt: isText,
  startedAt: optional(isText),
  finishedAt: isTextOrNull,
  input: isInput,
  outputs: listOf(isOutput),
  claim: isTextOrNull,
  worker: optional(isClaimingWorker),
  ladder: optional(isObject),
  claimedOutputs: optional(listOf(isCount)),
  endedClaims: optional(listOf(isEndedClaim)),
  crashes: isCount,
  resubmits: isCount,
  lastProgress: optional(listOf(isLastProgress)),
  idempotency: optional((value) => value === null || isIdempotencyRecord(value)),
  warnings: optional(listOf(isWarning)),
  notifications: optional(listOf(isTarget)),
  pendingNotifications: optional(listOf(isNotification)),
  notificationAttempts: optional(listOf(isAttemptRecord)),
});

function isJob(value: unknown): value is StoredJob {
  return isCompleteJob(value);
}

/** Reads the parsed content of a job's file; null if any field is invalid or the job has another id. */
export function readJobDocument(value: unknown, id: number): JobDocument | null {
  if (!isObject(value) || typeof value.revision !== 'number' || !isCount(value.revision)) return null;
  const { revision, job } = value;
  const current = withCurrentNames(job);
  if (!isJob(current) || current.id !== id) return null;
  return { revision, job: hasAddedFields(current) ? current : { ...addedFieldDefaults, ...current } };
}

function hasAddedFields(job: StoredJob): job is Job {
  return addedFields.every((name) => job[name] !== undefined);
}

/**
 * Renames the fields of older versions: fields were renamed once, and files keep the names that they were
 * written with. `thumbnails` was one set.
 */
function withCurrentNames(job: unknown): unknown {
  if (!isObject(job) || !isObject(job.input)) return job;
  if (!('fault' in job.input)) {
    return Array.isArray(job.outputs) && job.outputs.some(hasOneSet)
      ? { ...job, outputs: job.outputs.map(withSets) }
      : job;
  }
  const { reached: lastProgress, once: idempotency, notices: pendingNotifications, ...rest } = job;
  const renamed = { lastProgress, idempotency, pendingNotifications };
  const outputs = Array.isArray(job.outputs) ? job.outputs.map(withFailure).map(withSets) : job.outputs;
  return { ...withoutUndefined(renamed), ...rest, input: withFailure(job.input), outputs };
}

function withFailure(file: unknown): unknown {
  if (!isObject(file)) return file;
  const { fault: failure, ...rest } = file;
  return { ...rest, failure };
}

function hasOneSet(output: unknown): boolean {
  return isObject(output) && isObject(output.settings) && isObject(output.settings.thumbnails);
}

function withSets(output: unknown): unknown {
  if (!isObject(output) || !isObject(output.settings) || !hasOneSet(output)) return output;
  return { ...output, settings: { ...output.settings, thumbnails: [output.settings.thumbnails] } };
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Enough to keep a disk busy, and far below the limit of open files. */
export const maxConcurrentReads = 64;

/** Number of files that are read before other work of this process has its turn. */
const readsAtOnce = 256;

/** Most jobs have 1 to 10 kB, in bytes. */
const longestUsualText = 64 * 1024;

/** Reads the file of one job. */
export function readJobFile(path: string, id: number): Promise<ReadResult<JobDocument>> {
  return readDocument(path, (value) => readJobDocument(value, id));
}

/**
 * Reads every job in a folder. Quarantines damaged files, deletes temporary files of crashed writes, and
 * ignores files with other names.
 */
export async function readJobFolder(
  folder: string,
  disk: Disk,
  damaged: DamagedJobs,
): Promise<readonly JobDocument[]> {
  const names = await readdir(folder);
  await mapWithConcurrency(names.filter(isTemporaryName), maxConcurrentReads, (name) =>
    disk.remove(join(folder, name)),
  );
  const buffer = Buffer.allocUnsafe(longestUsualText);
  const documents: JobDocument[] = [];
  for (const [index, name] of names.entries()) {
    // Signals are handled, and the lock is kept, however many files there are.
    if (index % readsAtOnce === 0) await setImmediate();
    const id = idOfJobFile(name);
    if (id === null) continue;
    const path = join(folder, name);
    const read = (value: unknown) => readJobDocument(value, id);
    const found = readDocumentNow(path, read, buffer) ?? (await readDocument(path, read));
    if (found.kind === 'damaged') await damaged.quarantine(id, path, found.reason);
    if (found.kind === 'whole') documents.push(found.data);
  }
  return documents;
}
