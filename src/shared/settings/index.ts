import { advancedTable, codecOptionsTable } from './advanced.js';
import { audioEffectsTable, audioTable } from './audio.js';
import { captionsTable } from './captions.js';
import { deliveryTable } from './delivery.js';
import { encryptionTable } from './encryption.js';
import { generalTable } from './general.js';
import { hdrTable } from './hdr.js';
import { jobTable } from './job.js';
import { ladderOutputTable } from './ladders.js';
import { notAppliedOutputTable } from './not-applied.js';
import { playlistsTable } from './playlists.js';
import { qualityTable } from './quality.js';
import { segmentsTable } from './segments.js';
import type { SettingsOf, SettingsTable } from './setting.js';
import { conditionsTable, metadataTable, sourcesTable } from './sources.js';
import { thumbnailsSetting } from './thumbnails.js';
import {
  keyframesTable,
  resolutionTable,
  videoEffectsTable,
  videoRateTable,
  watermarkSetting,
} from './video.js';

/**
 * Every setting of an output (service document, section 4.1, and what the
 * hosted service had besides), in the order in which help and documentation list them.
 */
export const outputTable = {
  ...generalTable,
  ...deliveryTable,
  ...resolutionTable,
  ...videoRateTable,
  ...codecOptionsTable,
  ...hdrTable,
  ...qualityTable,
  ...ladderOutputTable,
  ...audioTable,
  ...audioEffectsTable,
  ...advancedTable,
  ...keyframesTable,
  ...videoEffectsTable,
  watermark: watermarkSetting,
  thumbnails: thumbnailsSetting,
  ...sourcesTable,
  ...conditionsTable,
  ...segmentsTable,
  ...playlistsTable,
  ...encryptionTable,
  ...captionsTable,
  ...metadataTable,
  ...notAppliedOutputTable,
} as const satisfies SettingsTable;

export { jobTable };

/**
 * The settings given for an output, typed. Omitted settings are absent. In the result of `parseJobRequest`, `size` is
 * always absent: `width` and `height` replace it.
 */
export type OutputSettings = SettingsOf<typeof outputTable>;

/** A validated request: the fields of the job and the settings of each output. */
export type JobRequest = SettingsOf<typeof jobTable> & {
  readonly outputs: readonly OutputSettings[];
};

/**
 * The output of a request that names none (section 1): H.264 of medium quality within 640x480, AAC stereo of about
 * 112 kbps at 44100 Hz, in MP4.
 */
export const defaultOutput: OutputSettings = {
  video_codec: 'h264',
  audio_codec: 'aac',
  width: 640,
  height: 480,
  audio_bitrate: 112,
  audio_channels: 2,
  audio_sample_rate: 44_100,
};

export type { Distance, Setting, SettingsTable, Size } from './setting.js';
