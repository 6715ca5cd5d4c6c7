import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { testModeSeconds } from '../../src/shared/settings/limits.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { hasTargetBitrate } from '../../src/shared/settings/video.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { Job, JobOutput } from './job.js';
import { displaySize, type MediaFacts, type VideoFacts } from './media.js';

type VideoCodec = NonNullable<OutputSettings['video_codec']>;

/**
 * The share of the input in the work of a job, in percent. A local file takes almost no time. The download time of a
 * remote file is unknown in advance; for most files it is short compared to the encoding.
 */
export function inputWeightPercent(inputUrl: string): number {
  return isLocal(inputUrl) ? 1 : 10;
}

/** Whether a URL names a file on this machine, which needs no download. */
export function isLocal(url: string): boolean {
  return /^(?:file|upload|hosted):/i.test(url);
}

/**
 * Estimates the work of an output relative to the other outputs of its job: seconds of media times the cost per second.
 * `media` is the inspected input.
 */
export function expectedWork(
  output: Pick<JobOutput, 'settings' | 'destination'>,
  media: MediaFacts,
  job: Pick<Job, 'test'>,
): number {
  const { settings } = output;
  if (isTransferOnly(settings) || isCaptions(settings)) return startCost;
  if (isPlaylist(settings)) return 0;
  const remainingSeconds = Math.max(
    0,
    (media.durationSeconds ?? unknownSeconds) - (settings.start_clip ?? 0),
  );
  const seconds = Math.min(
    remainingSeconds,
    settings.clip_length ?? remainingSeconds,
    job.test ? testModeSeconds : remainingSeconds,
  );
  const nameExtension = /\.[^.]+$/.exec(fileNameInUrl(output.destination))?.[0].toLowerCase() ?? '';
  const extension = settings.format === undefined ? nameExtension : `.${settings.format}`;
  const hasVideo =
    media.video !== null &&
    settings.copy_video !== true &&
    settings.skip_video !== true &&
    !audioExtensions.has(extension);
  const videoCostPerSecond = hasVideo
    ? videoCost(settings, media.video, settings.video_codec ?? codecOf[extension] ?? 'h264')
    : 0;
  return startCost + seconds * (audioCost + videoCostPerSecond);
}

const unknownSeconds = 60;
const audioExtensions: ReadonlySet<string> = new Set([
  ...[
    '.mp3',
    '.m4a',
    '.m4b',
    '.m4r',
    '.f4a',
    '.f4b',
    '.aac',
    '.oga',
    '.opus',
    '.mka',
    '.wma',
    '.wav',
    '.flac',
    '.ac3',
    '.ec3',
    '.eac3',
  ],
]);
const codecOf: Readonly<Record<string, VideoCodec>> = {
  '.webm': 'vp8',
  '.ogv': 'theora',
  '.ogg': 'theora',
  '.ogx': 'theora',
  '.wmv': 'wmv',
  '.gif': 'gif',
  '.webp': 'webp',
};

/*
 * Costs are relative: 1 is the time to encode one second of one-megapixel video as H.264 at speed 3. They were measured
 * with four seconds of 640x360 video on two cores.
 */
const startCost = 0.2;
const audioCost = 0.03;
/** Cost of decoding and scaling per megapixel of the input. */
const decodingCost = 0.2;

/** Cost of encoding at speeds 1 to 5, per megapixel of the output. */
const codecCosts = {
  h264: [2.4, 1.4, 1, 0.7, 0.5],
  hevc: [4.6, 3, 1.9, 1.5, 1.2],
  vp8: [9, 9, 9, 9, 9],
  vp9: [15, 9, 4.6, 4.4, 4.3],
  av1: [12, 6, 3, 2, 1.2],
  theora: [1, 1, 1, 1, 1],
  mpeg4: [0.4, 0.4, 0.4, 0.4, 0.4],
  wmv: [0.4, 0.4, 0.4, 0.4, 0.4],
  gif: [0.8, 0.8, 0.8, 0.8, 0.8],
  webp: [4, 3, 2.5, 2, 1.5],
  jp2: [1, 1, 1, 1, 1],
  vp6: [1, 1, 1, 1, 1],
} as const satisfies Record<VideoCodec, readonly [number, number, number, number, number]>;

/**
 * The factor by which a first pass raises the cost. VP9, which also uses two passes in quality mode, has a fast first
 * pass.
 */
const firstPassFactor = 1.5;
const firstPassFactorOfVp9 = 1.15;

function videoCost(settings: OutputSettings, video: VideoFacts, codec: VideoCodec): number {
  const input = displaySize(video);
  const inputMegapixels = (input.width * input.height) / 1e6;
  const requestedScales = [
    ...(settings.width === undefined ? [] : [settings.width / input.width]),
    ...(settings.height === undefined ? [] : [settings.height / input.height]),
  ];
  const canUpscale = settings.upscale === true && requestedScales.length > 0;
  const scale = Math.min(...requestedScales, canUpscale ? Number.POSITIVE_INFINITY : 1);
  const hasTwoPassQuality = codec === 'vp9' && settings.bitrate_cap === undefined;
  const isTwoPass = (hasTargetBitrate(settings) || hasTwoPassQuality) && settings.onepass !== true;
  const perMegapixel = codecCosts[codec][(settings.speed ?? 3) - 1] ?? codecCosts[codec][2];
  const singlePassCost = inputMegapixels * (decodingCost + perMegapixel * scale * scale);
  return singlePassCost * (isTwoPass ? (codec === 'vp9' ? firstPassFactorOfVp9 : firstPassFactor) : 1);
}
