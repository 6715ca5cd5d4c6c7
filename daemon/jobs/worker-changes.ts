import { errorClasses, isErrorClass } from '../../src/shared/error-classes.js';
import { invalidRequest } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { workerChangeFields } from '../../src/shared/records/worker-messages.js';
import { redact } from '../../src/shared/redact.js';
import type { Job, JobFailure, JobOutput } from './job.js';
import type { Change } from './legal-changes.js';
import { parseRecord } from './parse-record.js';
import { type DeliveredThumbnail, destinationOfThumbnail, maxImagesOf, thumbnailSets } from './thumbnails.js';
import { workerChangeTables } from './worker-change-tables.js';
import type { ChangeRequest } from './worker-protocol.js';

/** A change by a run of a remote worker. */
type WorkerChange = Extract<Change, { readonly type: keyof typeof workerChangeTables }>;

/**
 * Reads a change that a remote worker sent for a job. Throws `InvalidRequestError` unless it is one that a run may
 * make, its shape is exactly right, and what it names belongs to the job.
 */
export function parseWorkerChange(job: Job, body: unknown): ChangeRequest {
  const { number, change: given } = parseRecord(workerChangeFields, body);
  // The tables describe the records of `Change`.
  const change = parseRecord(workerChangeTables[given.type], given, 'change') as WorkerChange;
  const errors = semanticErrors(job, change);
  if (errors.length > 0) throw invalidRequest(errors);
  return { number, change: withoutSecrets(change) };
}

/** A failure of a worker may have a message with a URL. */
function withoutSecrets(change: WorkerChange): WorkerChange {
  if (!('failure' in change)) return change;
  return { ...change, failure: { ...change.failure, message: redact(change.failure.message) } };
}

function semanticErrors(job: Job, change: WorkerChange): readonly string[] {
  if (change.type === 'inspected') return mediaErrors(change.media);
  if (change.type === 'input-failed') return failureErrors(change.failure);
  const output = job.outputs.find(({ id }) => id === change.id);
  if (output === undefined) return [`id must be that of an output of job ${job.id}`];
  if ('failure' in change) return failureErrors(change.failure);
  return change.type === 'output-finished' ? finishErrors(output, change) : [];
}

function mediaErrors(media: Extract<Change, { type: 'inspected' }>['media']): readonly string[] {
  const degrees = media?.video?.rotationDegrees ?? 0;
  return [0, 90, 180, 270].includes(degrees) ? [] : ['media.video.rotationDegrees must be 0, 90, 180 or 270'];
}

/** A file fails only with classes that the service documents for files. */
function failureErrors({ errorClass }: JobFailure): readonly string[] {
  const entry = isErrorClass(errorClass) ? errorClasses[errorClass] : null;
  const isOfFile = entry !== null && entry.status === 422 && entry.exitCode === exitCodes.jobFailed;
  return isOfFile ? [] : ['failure.errorClass must be a class with which files fail'];
}

function finishErrors(
  output: JobOutput,
  { media, thumbnails = [], rendition, primaryUploadError }: Extract<Change, { type: 'output-finished' }>,
): readonly string[] {
  const { secondary } = output;
  const isSecondary = primaryUploadError !== undefined && secondary !== undefined;
  const delivered = isSecondary ? { ...output, ...secondary } : output;
  const badTrack = (rendition?.tracks ?? []).some(({ files, durations }) => {
    const hasFiles =
      files.by === 'segment'
        ? files.header !== undefined && files.stem !== undefined
        : files.name !== undefined && files.headerBytes !== undefined && files.indexBytes !== undefined;
    return !hasFiles || durations.some((run) => run.length !== 2);
  });
  return [
    ...mediaErrors(media),
    ...(badTrack ? ['rendition.tracks must have files and pairs of durations'] : []),
    ...(primaryUploadError !== undefined && secondary === undefined
      ? ['primaryUploadError must be absent: the output has no secondary_url']
      : []),
    ...(new Set(thumbnails.map(({ setIndex, index }) => `${setIndex} ${index}`)).size < thumbnails.length
      ? ['thumbnails must not have the same image twice']
      : []),
    ...thumbnails.flatMap((thumbnail, position) =>
      isThumbnailOf(delivered, thumbnail) ? [] : [`thumbnails[${position}] must be an image of the output`],
    ),
  ];
}

/** Whether a thumbnail is an image that the settings of an output ask for, at its address. */
function isThumbnailOf(output: JobOutput, thumbnail: DeliveredThumbnail): boolean {
  const set = thumbnailSets(output.settings)[thumbnail.setIndex];
  if (set === undefined || thumbnail.index >= maxImagesOf(set)) return false;
  const expected = destinationOfThumbnail(output, thumbnail);
  return expected.destination === thumbnail.destination && expected.url === thumbnail.url;
}

/**
 * Whether progress and log lines may name a file of a job. Outputs that have ended are allowed: a report may be late.
 */
export function isFileOf(job: Job, id: number): boolean {
  return job.input.id === id || job.outputs.some((output) => output.id === id);
}
