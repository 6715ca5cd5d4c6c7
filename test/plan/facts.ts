import type { AudioFacts, MediaFacts, VideoFacts } from '../../daemon/jobs/media.js';
import type { Capabilities, OutputToPlan } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';

/** Facts of a video: 1280x720, 25 fps, square pixels; overridden by `over`. */
export function videoFacts(over: Partial<VideoFacts> = {}): VideoFacts {
  return {
    streamIndex: 0,
    codec: 'h264',
    width: 1280,
    height: 720,
    sampleAspectRatio: { numerator: 1, denominator: 1 },
    rotationDegrees: 0,
    frameRate: { numerator: 25, denominator: 1 },
    isFrameRateVariable: false,
    fieldOrder: 'progressive',
    pixelFormat: 'yuv420p',
    bitrateKbps: 2000,
    durationSeconds: 60,
    startSeconds: 0,
    ...over,
  };
}

/** Facts of an audio track: stereo at 48000 Hz; overridden by `over`. */
export function audioFacts(over: Partial<AudioFacts> = {}): AudioFacts {
  return {
    streamIndex: 1,
    codec: 'aac',
    channels: 2,
    sampleRate: 48_000,
    bitrateKbps: 128,
    durationSeconds: 60,
    startSeconds: 0,
    ...over,
  };
}

/** Facts of a film of a minute in MP4; overridden by `over`. */
export function mediaFacts(over: Partial<MediaFacts> = {}): MediaFacts {
  return {
    format: 'mpeg4',
    durationSeconds: 60,
    totalBitrateKbps: 2200,
    video: videoFacts(),
    audio: audioFacts(),
    ...over,
  };
}

const encoders = [
  ...['mpeg4', 'wmv2', 'gif', 'libwebp_anim'],
  'libx264',
  'libx265',
  'libvpx',
  'libvpx-vp9',
  'libtheora',
  'libsvtav1',
  'libaom-av1',
];
const audioEncoders = [
  ...['ac3', 'eac3', 'wmav2', 'pcm_s16le', 'flac', 'libopencore_amrnb'],
  'aac',
  'libmp3lame',
  'libvorbis',
  'libopus',
];
const muxers = [
  ...['asf', '3g2', 'ac3', 'eac3', 'wav', 'flac', 'gif', 'webp'],
  'mp4',
  'mov',
  'matroska',
  'webm',
  'flv',
  'mpegts',
  '3gp',
  'ogg',
  'mp3',
  'ipod',
  'adts',
];

/** The capabilities of Debian's 5.1, with a program that measures. */
export const newCapabilities: Capabilities = {
  version: 5.1,
  encoders: new Set([...encoders, ...audioEncoders]),
  filters: new Set(['bwdif', 'yadif', 'libvmaf']),
  muxers: new Set(muxers),
  hasFpsMode: true,
};

/** The capabilities of a build of 2018. */
export const oldCapabilities: Capabilities = {
  version: null,
  encoders: new Set([...encoders, ...audioEncoders].filter((name) => name !== 'libsvtav1')),
  filters: new Set(['bwdif', 'yadif']),
  muxers: new Set(muxers),
  hasFpsMode: false,
};

/** Capabilities without some encoders. */
export function without(...names: readonly string[]): Capabilities {
  return {
    ...newCapabilities,
    encoders: new Set([...newCapabilities.encoders].filter((name) => !names.includes(name))),
  };
}

/** Output 7 with these settings. */
export function output(settings: OutputSettings = {}, filename = 'film.mp4', isTest = false): OutputToPlan {
  return { id: 7, settings, filename, isTest };
}

/** The paths in golden files. */
export const paths = { input: '/in/input', scratch: '/scratch' } as const;
