import { errorClasses, isErrorClass } from '../../src/shared/error-classes.js';
import { invalidRequest } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import type { Field, RecordTable } from '../../src/shared/records/field.js';
import { trackKinds } from '../../src/shared/records/media.js';
import { ladderPointFields, outputQualityFields, searchFields } from '../../src/shared/records/quality.js';
import { workerChangeFields } from '../../src/shared/records/worker-messages.js';
import { redact } from '../../src/shared/redact.js';
import type { Job, JobFailure, JobOutput } from './job.js';
import type { Change } from './legal-changes.js';
import { trackDispositions } from './media.js';
import { parseRecord } from './parse-record.js';
import { type DeliveredThumbnail, destinationOfThumbnail, maxImagesOf, thumbnailSets } from './thumbnails.js';
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
  if (change.type === 'ladder-chosen')
    return job.ladder === undefined ? [`job ${job.id} has no ladder to choose`] : [];
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

/*
 * The members of the changes that a remote worker may make, with bounds for everything that is stored. The types are
 * those of `Change` and of the records in it.
 */

const description = '';
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description } as const;
const amount = { type: 'number', minimum: 0, maximum: 1e15, description } as const;
const flag = { type: 'boolean', description } as const;
// A file may declare long texts, such as a language or a title: a job must not fail for them.
const word = { type: 'string', maxLength: 10_000, description } as const;
const sentence = { type: 'string', maxLength: 100_000, description } as const;
const url = { type: 'string', maxLength: 10_000, description } as const;
/** A file name: it must not lead to another folder. */
const fileName = { type: 'string', pattern: '^(?!\\.{1,2}$)[^/\\\\\\0]{1,255}$', description } as const;

const nullable = <T extends Field>(field: T) => ({ ...field, isNullable: true }) as const;
const optional = <T extends Field>(field: T) => ({ ...field, isOptional: true }) as const;
const object = <T extends RecordTable>(fields: T) => ({ type: 'object', fields, description }) as const;
const listOf = <T extends Field>(of: T, maxItems: number) =>
  ({ type: 'array', of, maxItems, item: 'entry', description }) as const;
const oneOf = (...values: readonly string[]) => ({ type: 'string', values, description }) as const;

const ratio = object({
  numerator: { ...amount, maximum: 1e9 },
  denominator: { ...amount, maximum: 1e9 },
});
/** Times may be negative: a stream may begin before the file. */
const seconds = nullable({ type: 'number', minimum: -1e9, maximum: 1e9, description });
const streamFields = {
  streamIndex: count,
  codec: word,
  bitrateKbps: nullable(amount),
  durationSeconds: seconds,
  startSeconds: seconds,
} as const;

const level = { type: 'number', minimum: -1e9, maximum: 1e9, description } as const;
const chromaticity = object({ x: level, y: level });
const hdr = object({
  mastering: optional(
    object({
      red: chromaticity,
      green: chromaticity,
      blue: chromaticity,
      whitePoint: chromaticity,
      luminance: object({ min: level, max: level }),
    }),
  ),
  lightLevels: optional(object({ maxContent: level, maxAverage: level })),
  hasHdr10Plus: optional(flag),
});
const dolbyVision = object({
  profile: optional(level),
  level: optional(level),
  compatibility: optional(level),
  hasOwnTag: optional(flag),
});

const video = object({
  ...streamFields,
  width: count,
  height: count,
  sampleAspectRatio: ratio,
  rotationDegrees: { type: 'integer', minimum: 0, maximum: 270, description },
  isMirrored: optional(flag),
  frameRate: nullable(ratio),
  isFrameRateVariable: flag,
  hasRoundedTimes: optional(flag),
  reorderSeconds: optional(seconds),
  frameCount: optional(count),
  lastFrame: optional(object({ startSeconds: seconds, endSeconds: seconds })),
  fieldOrder: oneOf('progressive', 'top-first', 'bottom-first', 'unknown'),
  pixelFormat: nullable(word),
  profile: optional(word),
  level: optional({ ...amount, minimum: -1000 }),
  colourSpace: optional(word),
  colourTransfer: optional(word),
  colourPrimaries: optional(word),
  colourRange: optional(oneOf('full', 'limited')),
  hdr: optional(hdr),
  dolbyVision: optional(dolbyVision),
  stereo3d: optional(word),
  projection: optional(word),
  borders: optional(object({ top: count, bottom: count, left: count, right: count })),
  hasAlpha: optional(flag),
  hasClosedCaptions: optional(flag),
  language: optional(word),
  title: optional(sentence),
});

const trackLabels = {
  language: optional(word),
  title: optional(sentence),
  dispositions: optional(listOf(oneOf(...trackDispositions), trackDispositions.length)),
} as const;

const audio = object({ ...streamFields, channels: count, sampleRate: count, ...trackLabels });

const subtitle = object({
  ...{ streamIndex: count, codec: word, ...trackLabels },
  ...{ width: optional(count), height: optional(count) },
});

const program = object({ number: count, name: optional(word) });

const unused = object({
  tracks: optional(
    listOf(
      object({
        streamIndex: count,
        kind: oneOf('video', 'audio', 'data'),
        codec: word,
        timecode: optional(word),
        reason: optional(oneOf('empty', 'unknown-codec', 'still')),
      }),
      1000,
    ),
  ),
  tags: optional(listOf(word, 1000)),
  unreadableTags: optional(listOf(word, 1000)),
  trackTags: optional(
    listOf(object({ streamIndex: optional(count), chapter: optional(count), name: word }), 1000),
  ),
  languages: optional(listOf(object({ streamIndex: count, text: word }), 1000)),
  chapters: optional(count),
  programs: optional(object({ chosen: program, others: listOf(program, 1000) })),
});

const cover = object({
  ...{ streamIndex: count, codec: word, fileName: optional(word) },
  ...{ title: optional(word), shows: optional(word), hasNoSize: optional(flag) },
});

const attachment = object({
  streamIndex: count,
  codec: word,
  fileName: optional(word),
  mimeType: optional(word),
});

const media = nullable(
  object({
    format: word,
    durationSeconds: nullable(amount),
    totalBitrateKbps: nullable(amount),
    declaredSeconds: optional(amount),
    wholeSeconds: optional(amount),
    video: nullable(video),
    audio: nullable(audio),
    otherAudio: optional(listOf(audio, 1000)),
    subtitles: optional(listOf(subtitle, 1000)),
    tags: optional(listOf(object({ name: word, value: sentence }), 1000)),
    timecode: optional(word),
    chapters: optional(
      listOf(object({ startSeconds: seconds, endSeconds: seconds, title: optional(sentence) }), 1000),
    ),
    covers: optional(listOf(cover, 1000)),
    attachments: optional(listOf(attachment, 1000)),
    analysis: optional(object({ seconds: amount, bytes: count })),
    unused: optional(unused),
  }),
);

const file = object({ sizeBytes: count, md5: { type: 'string', pattern: '^[0-9a-f]{32}$', description } });

const failure = object({ errorClass: word, message: sentence });

const thumbnail = object({
  setIndex: count,
  index: count,
  width: count,
  height: count,
  destination: url,
  url,
  sizeBytes: count,
});

const track = object({
  kind: oneOf('video', 'audio'),
  codec: word,
  language: nullable(word),
  title: optional(sentence),
  purposes: optional(listOf(oneOf(...trackDispositions), trackDispositions.length)),
  channels: optional(count),
  sampleRate: optional(count),
  peakBitrate: amount,
  averageBitrate: amount,
  longestSegmentSeconds: amount,
  hasLeadingFrames: optional(flag),
  playlist: optional(fileName),
  files: object({
    by: oneOf('segment', 'range'),
    header: optional(fileName),
    stem: optional(fileName),
    name: optional(fileName),
    headerBytes: optional(count),
    indexBytes: optional(count),
  }),
  timescale: count,
  startTime: { type: 'integer', description },
  durations: listOf(listOf(count, 2), 1_000_000),
});

const rendition = object({
  segments: count,
  longestSegmentSeconds: amount,
  videoCodec: nullable(word),
  audioCodec: nullable(word),
  frameRate: optional(amount),
  peakBitrate: amount,
  averageBitrate: amount,
  isIndependent: flag,
  keyframes: optional(object({ name: fileName, peakBitrate: amount, averageBitrate: amount })),
  captions: optional(
    listOf(
      object({
        language: nullable(word),
        label: word,
        isDefault: flag,
        isForced: flag,
        playlist: optional(fileName),
        file: optional(fileName),
      }),
      1000,
    ),
  ),
  tracks: optional(listOf(track, 100)),
});

const type = word;
const ofOutput = { type, id: count } as const;
const warnings = optional(listOf(sentence, 1000));
const captionFile = object({ name: fileName, language: nullable(word), label: word });

/** The members of each change that a run may make. */
const workerChangeTables = {
  inspected: { type, media, file },
  'input-failed': { type, failure },
  'output-assigned': ofOutput,
  'output-started': {
    ...ofOutput,
    warnings,
    origins: optional(
      object({
        ...{
          video: listOf(count, 1000),
          audio: listOf(count, 1000),
          subtitles: listOf(nullable(count), 1000),
          covers: optional(listOf(nullable(count), 1000)),
          attachments: optional(listOf(count, 1000)),
        },
        leftOut: listOf(
          object({ kind: oneOf(...trackKinds), streamIndex: nullable(count), reason: sentence }),
          1000,
        ),
      }),
    ),
  },
  'ladder-chosen': {
    type,
    points: listOf({ type: 'object', fields: ladderPointFields, description }, 1000),
  },
  'quality-searched': {
    ...ofOutput,
    search: { type: 'object', fields: searchFields, description },
  },
  'output-finished': {
    ...ofOutput,
    media,
    file,
    thumbnails: optional(listOf(thumbnail, 20_000)),
    warnings,
    primaryUploadError: optional(sentence),
    rendition: optional(rendition),
    quality: optional({ type: 'object', fields: outputQualityFields, description }),
    captionFiles: optional(listOf(captionFile, 1000)),
    deliverySeconds: optional(amount),
  },
  'output-failed': { ...ofOutput, failure },
  'output-queued': ofOutput,
  'output-skipped': { ...ofOutput, reason: sentence },
  'source-failed': { ...ofOutput, failure },
} as const satisfies Readonly<Record<string, RecordTable>>;
