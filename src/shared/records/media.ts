import { inputStates, outputStates } from '../states.js';
import type { RecordOf, RecordTable } from './field.js';
import { ladderPointFields, qualityFields } from './quality.js';

const time = { type: 'string', format: 'date-time' } as const;
const count = { type: 'integer', isNullable: true } as const;
const text = { type: 'string', isNullable: true } as const;

/** The common fields of the input and the outputs inside a job (section 2.3), except the checksum. */
export const mediaFileFields = {
  id: { type: 'integer', description: 'id of the input or output' },
  url: { ...text, description: 'source or destination of the file, without the password' },
  format: { ...text, description: 'container' },
  created_at: { ...time, description: 'when it was created' },
  updated_at: { ...time, description: 'when it last changed' },
  finished_at: { ...time, isNullable: true, description: 'when it ended' },
  duration_in_ms: { ...count, description: 'length in milliseconds' },
  frame_rate: { type: 'number', isNullable: true, description: 'frames per second' },
  audio_sample_rate: { ...count, description: 'audio samples per second' },
  audio_bitrate_in_kbps: { ...count, description: 'audio bitrate in kilobits per second' },
  audio_codec: { ...text, description: 'audio codec' },
  video_codec: { ...text, description: 'video codec' },
  video_bitrate_in_kbps: { ...count, description: 'video bitrate in kilobits per second' },
  total_bitrate_in_kbps: { ...count, description: 'bitrate of the whole file in kilobits per second' },
  width: { ...count, description: 'width of the video in pixels, rotated for display' },
  height: { ...count, description: 'height of the video in pixels, rotated for display' },
  channels: { ...text, description: 'number of audio channels, as text' },
  closed_captions: {
    type: 'boolean',
    isOptional: true,
    description: 'true if the frames of the video carry closed captions (CEA-608, CEA-708); an addition',
  },
  file_size_bytes: { ...count, description: 'size of the file in bytes' },
  test: { type: 'boolean', description: 'whether the job is a test job' },
  error_message: { ...text, description: 'why it failed, one sentence' },
  error_class: { ...text, description: 'class of that error' },
} as const satisfies RecordTable;

const checksum = {
  md5_checksum: { ...text, description: 'MD5 of the file, 32 hexadecimal digits' },
} as const;
const inputState = {
  state: { type: 'string', values: inputStates, description: 'state of the input' },
} as const;
const outputState = {
  state: { type: 'string', values: outputStates, description: 'state of the output' },
} as const;
const label = { label: { ...text, description: 'label in the request' } } as const;

const outputWarnings = {
  warnings: {
    type: 'array',
    isOptional: true,
    of: { type: 'string', description: 'one sentence' },
    item: 'warning',
    description:
      'what the input made impossible, e.g. a corrected value; absent if there is none; an addition',
  },
} as const;

/** Labels that a machine must have. */
export const labelsField = {
  type: 'array',
  isOptional: true,
  of: { type: 'string', description: 'one label, in lower case' },
  item: 'require',
} as const;

const outputRequires = {
  requires: {
    ...labelsField,
    description:
      'labels that a machine must have to make the output, besides those of the job; absent if there are none; an addition',
  },
} as const;

const segmentFields = {
  dash_url: {
    type: 'string',
    isOptional: true,
    description: 'address of the DASH manifest; only with packaging cmaf, whose url is the playlist of HLS',
  },
  peak_bitrate_in_kbps: {
    type: 'number',
    isOptional: true,
    description: 'highest bitrate of a segment in Kbps; only if the output is segmented',
  },
  average_bitrate_in_kbps: {
    type: 'number',
    isOptional: true,
    description: 'bitrate of all segments in Kbps; only if the output is segmented',
  },
  fragment_duration_in_ms: {
    type: 'integer',
    isOptional: true,
    description: 'length of the longest segment in milliseconds; only if the output is segmented',
  },
  rfc_6381_video_codec: {
    type: 'string',
    isOptional: true,
    description: 'video codec as playlists name it, e.g. avc1.64001F; only if the output is segmented',
  },
  rfc_6381_audio_codec: {
    type: 'string',
    isOptional: true,
    description: 'audio codec as playlists name it, e.g. mp4a.40.2; only if the output is segmented',
  },
  segments: {
    type: 'integer',
    isOptional: true,
    description: 'number of segments; only if the output is segmented; an addition',
  },
} as const;

const captionFields = {
  caption_files: {
    type: 'array',
    isOptional: true,
    of: {
      type: 'object',
      fields: {
        url: { type: 'string', description: 'address of the file, without the password' },
        language: { ...text, description: 'language code, if it is known' },
        label: { type: 'string', description: 'name of the captions' },
      },
      description: 'one WebVTT file',
    },
    item: 'caption_file',
    description: 'captions that are in files next to the output; absent if there are none; an addition',
  },
} as const;

const outputQuality = {
  quality: {
    type: 'object',
    isOptional: true,
    fields: qualityFields,
    description: 'measured quality of the video; absent unless measure_quality is set; an addition',
  },
} as const satisfies RecordTable;

/** The points of a ladder. */
const outputHull = {
  hull: {
    type: 'array',
    isOptional: true,
    of: { type: 'object', fields: ladderPointFields, description: 'one point' },
    item: 'point',
    description:
      'of a playlist: the best size for each bitrate that was measured, if its ladder was chosen by content; an addition',
  },
} as const satisfies RecordTable;

/** What a track of a file is. All chapters count as one. */
export const trackKinds = [
  ...(['video', 'audio', 'subtitle', 'cover', 'attachment', 'data', 'chapters'] as const),
] as const;
/** One of `trackKinds`. */
export type TrackKind = (typeof trackKinds)[number];

const trackHead = {
  number: { ...count, description: 'number of the stream in the file, from 1; null for chapters' },
  kind: { type: 'string', values: trackKinds, description: 'what it is' },
} as const;

const trackFields = {
  ...trackHead,
  track: { type: 'integer', description: 'number among the tracks of its kind, from 1' },
  codec: { ...text, description: 'codec' },
  language: { ...text, description: 'language that the file declares' },
  title: { ...text, description: 'title that the file declares' },
  disposition: {
    type: 'array',
    of: { type: 'string', description: 'one purpose, as ffprobe names it' },
    item: 'purpose',
    description: 'what it is for: default, forced, comment and others',
  },
  channels: { ...count, description: 'number of channels of audio' },
  file_name: { type: 'string', isOptional: true, description: 'name of an attached file' },
  count: { type: 'integer', isOptional: true, description: 'number of chapters' },
} as const satisfies RecordTable;

/** `tracks` of the input. */
const inputTracks = {
  tracks: {
    type: 'array',
    isOptional: true,
    of: { type: 'object', fields: trackFields, description: 'one track' },
    item: 'track',
    description: 'everything in the file; absent until it was read; an addition',
  },
} as const;

/** `tracks` of an output, and what it has not. */
const outputTracks = {
  tracks: {
    ...inputTracks.tracks,
    of: {
      type: 'object',
      fields: {
        ...trackFields,
        from: {
          type: 'integer',
          isNullable: true,
          words: ['caption_url'],
          description:
            'number of the stream of the source that it is made from, or caption_url; null if it is made from none',
        },
      },
      description: 'one track',
    },
    description: 'everything in the file; absent until it is finished; an addition',
  },
  left_out: {
    type: 'array',
    isOptional: true,
    of: {
      type: 'object',
      fields: { ...trackHead, reason: { type: 'string', description: 'why, a clause' } },
      description: 'one track of the source',
    },
    item: 'track',
    description: 'what the source has and the output has not; absent if there is nothing; an addition',
  },
} as const satisfies RecordTable;

/** One of `tracks` of the input. */
export type InputTrackRecord = RecordOf<typeof trackFields>;
/** One of `tracks` of an output. */
export type OutputTrackRecord = NonNullable<RecordOf<typeof outputTracks>['tracks']>[number];

const backupFields = {
  backup_server_used: {
    type: 'boolean',
    isOptional: true,
    description: 'true if the file was delivered to secondary_url, which is then its URL; otherwise absent',
  },
  primary_upload_error_message: {
    type: 'string',
    isOptional: true,
    description: 'why the delivery to the requested URL failed; only with backup_server_used',
  },
} as const;

const elapsed = { type: 'integer', isOptional: true } as const;

/** How long a file was made, and how long the daemon keeps it. */
export const outputDelivery = {
  encoded_in_ms: { ...elapsed, description: 'how long it was encoded; absent if it was not; an addition' },
  delivered_in_ms: {
    ...elapsed,
    description: 'how long its files were delivered; absent if they were not; an addition',
  },
  expires_at: {
    type: 'string',
    format: 'date-time',
    isOptional: true,
    description: 'until when the daemon hosts the file; absent if it does not; an addition',
  },
} as const satisfies RecordTable;

/** `input_media_file` of the job list (section 2.3). */
export const listedInputFields = { ...mediaFileFields, ...inputState } as const satisfies RecordTable;
/** One of `output_media_files` of the job list (section 2.3). */
export const listedOutputFields = {
  ...mediaFileFields,
  ...outputState,
  ...label,
  ...segmentFields,
  ...captionFields,
} as const satisfies RecordTable;
/** `input_media_file` of job details (section 2.3). */
export const inputFileFields = {
  ...listedInputFields,
  ...checksum,
  ...inputTracks,
} as const satisfies RecordTable;
/** One of `output_media_files` of job details (section 2.3). */
export const outputFileFields = {
  ...listedOutputFields,
  ...checksum,
  ...outputQuality,
  ...outputHull,
  ...outputTracks,
  ...outputDelivery,
  ...outputWarnings,
  ...outputRequires,
} as const satisfies RecordTable;

/** The common fields of input and output details (sections 2.1 and 2.2), plus the reason for a failure. */
export const detailsFields = {
  id: mediaFileFields.id,
  url: mediaFileFields.url,
  format: mediaFileFields.format,
  duration_in_ms: mediaFileFields.duration_in_ms,
  file_size_in_bytes: mediaFileFields.file_size_bytes,
  total_bitrate_in_kbps: mediaFileFields.total_bitrate_in_kbps,
  video_codec: mediaFileFields.video_codec,
  video_bitrate_in_kbps: mediaFileFields.video_bitrate_in_kbps,
  width: mediaFileFields.width,
  height: mediaFileFields.height,
  frame_rate: mediaFileFields.frame_rate,
  audio_codec: mediaFileFields.audio_codec,
  audio_bitrate_in_kbps: mediaFileFields.audio_bitrate_in_kbps,
  audio_sample_rate: mediaFileFields.audio_sample_rate,
  channels: mediaFileFields.channels,
  closed_captions: mediaFileFields.closed_captions,
  ...checksum,
  error_class: mediaFileFields.error_class,
  error_message: mediaFileFields.error_message,
} as const satisfies RecordTable;

/** Input details (section 2.1). */
export const inputDetailsFields = {
  ...detailsFields,
  job_id: { type: 'integer', description: 'id of the job' },
  ...inputState,
  privacy: { type: 'boolean', description: 'whether the job is private' },
} as const satisfies RecordTable;

/** Output details (section 2.2). */
export const outputDetailsFields = {
  ...detailsFields,
  ...outputState,
  ...label,
  ...backupFields,
  ...segmentFields,
  ...captionFields,
  ...outputQuality,
  ...outputHull,
  ...outputWarnings,
} as const satisfies RecordTable;
