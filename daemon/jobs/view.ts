import type {
  JobNotificationBody,
  NotifiedOutput,
  OutputNotificationBody,
} from '../../src/shared/records/notifications.js';
import type {
  DetailsRecord,
  InputDetails,
  JobHead,
  JobRecord,
  MediaFileRecord,
  OutputDetails,
  OutputMediaFile,
} from '../../src/shared/records.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { hasQualityLog } from '../../src/shared/settings/quality.js';
import { isFinal } from '../../src/shared/states.js';
import { roundToHundredths } from '../../src/shared/text/numbers.js';
import { replaceExtensionInUrl, siblingInUrl } from '../../src/shared/text/url-text.js';
import { memoizeByKey } from '../../src/shared/util/collections.js';
import { durationsOf, expiryOf, waitedMsOf } from './hosted-retention.js';
import type { Job, JobInput, JobOutput, Notification } from './job.js';
import { displaySize, type MediaFacts } from './media.js';
import { inputTrackRecords, leftOutRecords, outputTrackRecords } from './tracks.js';

/*
 * Jobs are immutable and read far more often than they change. Their records are memoized, so the JSON or XML text of
 * each record can be memoized too.
 */

/** The fields of a job, without its files. */
function jobHead(job: Job): JobHead {
  return {
    id: job.id,
    state: job.state,
    test: job.test,
    pass_through: job.passThrough,
    grouping: job.grouping,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    submitted_at: job.submittedAt,
    finished_at: job.finishedAt,
  };
}

/** The record of a job in job details (section 2.3). */
export const jobRecord = memoizeByKey((job: Job): JobRecord => {
  return {
    ...jobHead(job),
    ...(job.inputName === undefined ? {} : { input_name: job.inputName }),
    input_media_file: {
      ...mediaFile(job, job.input),
      state: job.input.state,
      ...(job.input.media === null ? {} : { tracks: inputTrackRecords(job.input.media) }),
    },
    output_media_files: job.outputs.map((output) => outputMediaFile(job, output)),
    // Empty until the job is complete (section 2.3).
    thumbnails: isFinal(job.state) ? job.outputs.flatMap(thumbnailRecords) : [],
    ...jobQueueing(job),
    ...jobDurations(job),
    ...jobWorker(job),
    ...jobNotificationAttempts(job),
    ...jobWarnings(job),
  };
});

function thumbnailRecords({ thumbnails }: JobOutput): JobRecord['thumbnails'] {
  return thumbnails.map(({ id, url, createdAt, updatedAt, label }) => ({
    id,
    url,
    created_at: createdAt,
    updated_at: updatedAt,
    ...(label === undefined ? {} : { group_label: label }),
  }));
}

/** How a job waits in the queue: only what is not the default. */
function jobQueueing({
  priority,
  isPaused,
  requires,
}: Job): Pick<JobRecord, 'priority' | 'paused' | 'requires'> {
  return {
    ...(isPaused === undefined ? {} : { paused: isPaused }),
    ...(priority === undefined ? {} : { priority }),
    ...(requires === undefined ? {} : { requires }),
  };
}

/** How long a job waited, and how long its outputs were encoded and delivered; only what is known. */
function jobDurations(job: Job): Pick<JobRecord, 'waited_in_ms' | 'encoded_in_ms' | 'delivered_in_ms'> {
  const waitedMs = waitedMsOf(job);
  const ofOutputs = job.outputs.map(durationsOf).filter((durations) => durations !== null);
  return {
    ...(waitedMs === null ? {} : { waited_in_ms: waitedMs }),
    ...(ofOutputs.length === 0
      ? {}
      : {
          encoded_in_ms: ofOutputs.reduce((sum, { encodedMs }) => sum + encodedMs, 0),
          delivered_in_ms: ofOutputs.reduce((sum, { deliveredMs }) => sum + deliveredMs, 0),
        }),
  };
}

/** How long an output was encoded and delivered, and when its hosted files expire; only what is known. */
function deliveryFields(
  output: JobOutput,
): Pick<OutputMediaFile, 'encoded_in_ms' | 'delivered_in_ms' | 'expires_at'> {
  const durations = durationsOf(output);
  const expiresAt = expiryOf(output);
  return {
    ...(durations === null
      ? {}
      : { encoded_in_ms: durations.encodedMs, delivered_in_ms: durations.deliveredMs }),
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
  };
}

/** The name of the remote worker that has or had the job; absent if there is none. */
function jobWorker({ worker }: Job): Pick<JobRecord, 'worker'> {
  return worker === undefined ? {} : { worker: worker.name };
}

/** The last attempts to deliver the notifications of a job; absent if there are none. */
function jobNotificationAttempts({ notificationAttempts }: Job): Pick<JobRecord, 'notification_attempts'> {
  if (notificationAttempts === undefined) return {};
  return {
    notification_attempts: notificationAttempts.map((one) => ({
      id: one.notificationId,
      output_id: one.outputId,
      event: one.event,
      destination: one.destination,
      attempt: one.attempt,
      attempted_at: one.at,
      status: one.status,
      error_message: one.failure,
    })),
  };
}

/** The warnings about the request of a job; absent if there are none. */
function jobWarnings({ warnings }: Job): Pick<JobRecord, 'warnings'> {
  return warnings === undefined ? {} : { warnings };
}

/**
 * The record of a job in the job list: without `md5_checksum` (section 2.3), priority, labels, warnings and attempts of
 * notifications. The service
 * has no `skipped` in its list, so skipped outputs are `cancelled` there (contract, section 5).
 */
export const listedJobRecord = memoizeByKey((job: Job): JobRecord => {
  const { priority: _priority, requires: _requires, warnings: _warnings, ...others } = jobRecord(job);
  const { waited_in_ms: _waited, encoded_in_ms: _encoded, delivered_in_ms: _delivered, ...rest } = others;
  const { notification_attempts: _attempts, ...record } = rest;
  return {
    ...record,
    input_media_file: withoutDetails(record.input_media_file),
    output_media_files: record.output_media_files.map((output) => ({
      ...withoutDetails(output),
      state: output.state === 'skipped' ? ('cancelled' as const) : output.state,
    })),
  };
});

/** Input details (section 2.1). */
export const inputDetails = memoizeByKey((job: Job): InputDetails => {
  return { ...details(job.input), job_id: job.id, state: job.input.state, privacy: job.isPrivate ?? false };
});

/** Output details (section 2.2). */
export const outputDetails = memoizeByKey((output: JobOutput): OutputDetails => {
  return {
    ...details(output),
    state: output.state,
    label: output.label,
    ...backupFields(output),
    ...segmentFields(output),
    ...captionFields(output),
    ...qualityFields(output),
    ...hullFields(output),
    ...outputWarnings(output),
  };
});

/** The fields of an output that was delivered to its secondary URL. */
function backupFields({ primaryUploadError }: JobOutput) {
  return primaryUploadError === undefined
    ? {}
    : { backup_server_used: true, primary_upload_error_message: primaryUploadError };
}

/** The fields of an output that was cut into segments. */
function segmentFields({ rendition, state, settings, url }: JobOutput) {
  // The manifest has the name of the playlist.
  const isBoth = settings.packaging === 'cmaf' && state === 'finished';
  const manifest = isBoth ? { dash_url: replaceExtensionInUrl(withoutPassword(url), '.mpd') } : {};
  if (rendition === undefined) return manifest;
  const { videoCodec, audioCodec } = rendition;
  return {
    ...manifest,
    fragment_duration_in_ms: milliseconds(rendition.longestSegmentSeconds) ?? 0,
    ...(videoCodec === null ? {} : { rfc_6381_video_codec: videoCodec }),
    ...(audioCodec === null ? {} : { rfc_6381_audio_codec: audioCodec }),
    segments: rendition.segments,
    peak_bitrate_in_kbps: rendition.peakBitrate / 1000,
    average_bitrate_in_kbps: rendition.averageBitrate / 1000,
  };
}

/** The captions of an output that are in files next to it. */
function captionFields({ captionFiles = [], url }: JobOutput): Pick<OutputDetails, 'caption_files'> {
  if (captionFiles.length === 0) return {};
  const files = captionFiles.map(({ name, language, label }) => ({
    url: siblingInUrl(withoutPassword(url), name),
    language,
    label,
  }));
  return { caption_files: files };
}

/** What was measured of the quality of an output; absent if it was not. */
function qualityFields({ quality, settings, url }: JobOutput): Pick<OutputDetails, 'quality'> {
  if (quality === undefined) return {};
  if (!hasQualityLog(settings)) return { quality };
  return { quality: { ...quality, log_url: replaceExtensionInUrl(withoutPassword(url), '.quality.json') } };
}

/** The points of the ladder of a playlist; absent if it was not chosen by content. */
function hullFields({ hull }: JobOutput): Pick<OutputDetails, 'hull'> {
  return hull === undefined || hull.length === 0 ? {} : { hull };
}

function outputMediaFile(job: Job, output: JobOutput): OutputMediaFile {
  return {
    ...mediaFile(job, output),
    state: output.state,
    label: output.label,
    ...segmentFields(output),
    ...captionFields(output),
    ...qualityFields(output),
    ...hullFields(output),
    ...trackFields(output),
    ...deliveryFields(output),
    ...outputWarnings(output),
    ...outputRequires(output),
  };
}

/** The tracks of the file of an output, and those of its source that it lacks. */
function trackFields({ media, origins }: JobOutput): Pick<OutputMediaFile, 'tracks' | 'left_out'> {
  return {
    ...(media === null ? {} : { tracks: outputTrackRecords(media, origins) }),
    ...(origins === undefined || origins.leftOut.length === 0 ? {} : { left_out: leftOutRecords(origins) }),
  };
}

/** The labels that a machine must have to make an output; absent if there are none. */
function outputRequires({ settings: { requires = [] } }: JobOutput): Pick<OutputMediaFile, 'requires'> {
  return requires.length === 0 ? {} : { requires };
}

function outputWarnings({ warnings = [] }: JobOutput): Pick<OutputDetails, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings };
}

function mediaFile(job: Job, file: JobInput | JobOutput): MediaFileRecord {
  return {
    id: file.id,
    url: withoutPassword(file.url),
    created_at: file.createdAt,
    updated_at: file.updatedAt,
    finished_at: file.finishedAt,
    ...mediaFields(file.media),
    file_size_bytes: file.file?.sizeBytes ?? null,
    test: job.test,
    error_message: file.failure?.message ?? null,
    error_class: file.failure?.errorClass ?? null,
    md5_checksum: file.file?.md5 ?? null,
  };
}

function details(file: JobInput | JobOutput): DetailsRecord {
  return {
    id: file.id,
    url: withoutPassword(file.url),
    ...mediaFields(file.media),
    file_size_in_bytes: file.file?.sizeBytes ?? null,
    md5_checksum: file.file?.md5 ?? null,
    error_class: file.failure?.errorClass ?? null,
    error_message: file.failure?.message ?? null,
  };
}

/** The fields of a media file that the probe found; null without one. */
export function mediaFields(media: MediaFacts | null) {
  const video = media?.video ?? null;
  const audio = media?.audio ?? null;
  const size = video === null ? null : displaySize(video);
  return {
    format: media?.format ?? null,
    duration_in_ms: milliseconds(media?.durationSeconds ?? null),
    total_bitrate_in_kbps: media?.totalBitrateKbps ?? null,
    video_codec: video?.codec ?? null,
    video_bitrate_in_kbps: video?.bitrateKbps ?? null,
    width: size?.width ?? null,
    height: size?.height ?? null,
    frame_rate: video?.frameRate
      ? roundToHundredths(video.frameRate.numerator / video.frameRate.denominator)
      : null,
    audio_codec: audio?.codec ?? null,
    audio_bitrate_in_kbps: audio?.bitrateKbps ?? null,
    audio_sample_rate: audio?.sampleRate ?? null,
    channels: audio === null ? null : String(audio.channels),
    ...(video?.hasClosedCaptions === true ? { closed_captions: true } : {}),
  };
}

/** What only the details of a job have. */
interface Details
  extends Pick<
    OutputMediaFile,
    'quality' | 'left_out' | 'warnings' | 'requires' | 'encoded_in_ms' | 'delivered_in_ms' | 'expires_at'
  > {
  readonly tracks?: readonly unknown[];
}

function withoutDetails<T extends MediaFileRecord & Details>(record: T): T {
  const { md5_checksum, tracks, quality, left_out, warnings, requires, ...others } = record;
  const { encoded_in_ms, delivered_in_ms, expires_at, ...rest } = others;
  return rest as unknown as T;
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1000);
}

/** The body of a notification, with the current state of the job (contract, section 10). */
export function notificationRecord(
  job: Job,
  notification: Notification,
): JobNotificationBody | OutputNotificationBody {
  const head = { job: { ...jobHead(job), ...jobWarnings(job) }, input: inputDetails(job) };
  const output = job.outputs.find(({ id }) => id === notification.outputId);
  return output === undefined
    ? { ...head, outputs: job.outputs.map(notifiedOutput) }
    : { ...head, output: notifiedOutput(output) };
}

function notifiedOutput(output: JobOutput): NotifiedOutput {
  const thumbnails = thumbnailGroups(output);
  return {
    ...outputDetails(output),
    ...deliveryFields(output),
    ...(thumbnails.length === 0 ? {} : { thumbnails }),
  };
}

type NotifiedImage = NonNullable<NotifiedOutput['thumbnails']>[number]['images'][number];

/** The thumbnails of an output by set. Those of older versions are left out, because their sizes are unknown. */
function thumbnailGroups({ thumbnails }: JobOutput): NonNullable<NotifiedOutput['thumbnails']> {
  const groups = new Map<number, { readonly label: string | null; readonly images: NotifiedImage[] }>();
  for (const { setIndex, label = null, url, format = 'png', width, height, sizeBytes } of thumbnails) {
    if (setIndex === undefined || sizeBytes === undefined) continue;
    const group = groups.get(setIndex) ?? { label, images: [] };
    groups.set(setIndex, group);
    group.images.push({
      url,
      format: format === 'png' ? 'PNG' : 'JPG',
      file_size_bytes: sizeBytes,
      dimensions: `${width}x${height}`,
    });
  }
  return [...groups.values()];
}
