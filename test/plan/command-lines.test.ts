import { test } from 'uvu';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Capabilities, WatermarkImage } from '../../daemon/plan/plan-types.js';
import { defaultOutput, type OutputSettings } from '../../src/shared/settings/index.js';
import { matchesGolden } from '../helpers/golden.js';
import {
  audioFacts,
  mediaFacts,
  newCapabilities,
  oldCapabilities,
  output,
  paths,
  videoFacts,
} from './facts.js';

interface Case {
  readonly settings: OutputSettings;
  readonly filename?: string;
  readonly media?: MediaFacts;
  readonly capabilities?: Capabilities;
  readonly isTest?: boolean;
  readonly watermarks?: readonly WatermarkImage[];
}

const surround = mediaFacts({ audio: audioFacts({ channels: 6 }) });
const phone = mediaFacts({
  video: videoFacts({
    codec: 'h263',
    width: 176,
    height: 144,
    sampleAspectRatio: { numerator: 12, denominator: 11 },
    frameRate: { numerator: 2775, denominator: 188 },
    isFrameRateVariable: true,
    fieldOrder: 'unknown',
  }),
  audio: audioFacts({ codec: 'amr_nb', channels: 1, sampleRate: 8000, startSeconds: 0.25 }),
});
const turned = mediaFacts({ video: videoFacts({ width: 1920, height: 1080, rotationDegrees: 90 }) });
const fields = mediaFacts({
  format: 'mpeg-ts',
  video: videoFacts({ width: 720, height: 576, fieldOrder: 'top-first', rotationDegrees: 180 }),
});
const highRange = mediaFacts({
  video: videoFacts({
    codec: 'hevc',
    width: 1920,
    height: 1080,
    pixelFormat: 'yuv420p10le',
    colourSpace: 'bt2020nc',
    colourTransfer: 'smpte2084',
    colourPrimaries: 'bt2020',
  }),
});
const toneMapping: Capabilities = {
  ...newCapabilities,
  filters: new Set([...newCapabilities.filters, 'zscale', 'tonemap']),
};
const film = mediaFacts({
  format: 'matroska',
  video: videoFacts({ frameRate: { numerator: 24_000, denominator: 1001 }, hasRoundedTimes: true }),
});
const filmAfterItsAudio = { ...film, video: videoFacts({ ...film.video, startSeconds: 0.021 }) };

/** Complete command lines by the name of their golden file: one argument per line, an empty line between two steps. */
const heldFilm = mediaFacts({
  format: 'gif',
  durationSeconds: 3.4,
  audio: null,
  video: videoFacts({
    frameRate: { numerator: 10, denominator: 1 },
    durationSeconds: 3.4,
    lastFrame: { startSeconds: 0.4, endSeconds: 3.4 },
  }),
});

const cases: Readonly<Record<string, Case>> = {
  'animated-gif': { settings: { start_clip: 10, clip_length: 4, width: 320 }, filename: 'clip.gif' },
  'animated-gif-of-2018': { settings: { quality: 1 }, filename: 'clip.gif', capabilities: oldCapabilities },
  'animated-webp': { settings: { clip_length: 4, speed: 1 }, filename: 'clip.webp' },
  'animated-webp-with-held-frame': { settings: {}, filename: 'clip.webp', media: heldFilm },
  default: { settings: defaultOutput, media: surround },
  'high-range-tone-mapped': { settings: { width: 1280 }, media: highRange, capabilities: toneMapping },
  'high-range-left-alone': { settings: { width: 1280 }, media: highRange },
  'fields-left-and-scaled': { settings: { deinterlace: 'off', width: 360, skip_audio: true }, media: fields },
  'full-range-in-its-own-size': {
    settings: { skip_audio: true },
    media: mediaFacts({ video: videoFacts({ pixelFormat: 'yuvj420p', colourRange: 'full' }) }),
  },
  'transparent-vp9': {
    settings: { skip_audio: true },
    media: mediaFacts({ format: 'webm', video: videoFacts({ codec: 'vp9', hasAlpha: true }) }),
  },
  'default-of-2018': { settings: defaultOutput, media: surround, capabilities: oldCapabilities },
  'surround-in-opus': {
    settings: { output_audio_channels: ['6'], audio_codec: 'opus', skip_video: true },
    filename: 'a.webm',
    media: surround,
  },
  'channels-of-two-tracks': {
    settings: { input_audio_channels: { FL: '1:2', FR: '2' }, audio_gain: 3, width: 640 },
    media: mediaFacts({ otherAudio: [audioFacts({ streamIndex: 2, channels: 1 })] }),
  },
  'fields-own-defaults': { settings: {} },
  'best-and-slowest': { settings: { quality: 5, speed: 1, audio_quality: 5 } },
  'poorest-and-fastest': { settings: { quality: 1, speed: 5, audio_quality: 1 } },
  'two-passes': { settings: { video_bitrate: 800, width: 640, audio_bitrate: 96 } },
  'hevc-in-two-passes': { settings: { video_codec: 'hevc', video_bitrate: 500 }, filename: 'film.mov' },
  'uneven-vp8-in-two-passes': {
    settings: { video_codec: 'vp8', video_bitrate: 500, bitrate_cap: 700 },
    filename: 'film.webm',
    media: phone,
  },
  'uneven-vp8-of-2018': {
    settings: { video_codec: 'vp8', video_bitrate: 500, onepass: true },
    filename: 'film.webm',
    media: phone,
    capabilities: oldCapabilities,
  },
  'uneven-hevc-in-two-passes': { settings: { video_codec: 'hevc', video_bitrate: 500 }, media: phone },
  'uneven-av1': { settings: { video_codec: 'av1', video_bitrate: 500 }, media: phone },
  'theora-decoded-in-one-thread': {
    settings: { video_bitrate: 500 },
    media: mediaFacts({ format: 'ogg', video: videoFacts({ codec: 'theora' }) }),
  },
  'clip-in-test-mode': { settings: { start_clip: 12.5, clip_length: 30 }, isTest: true },
  'two-watermarks': {
    settings: {
      width: 640,
      watermark: [
        { url: 'http://a/logo.png' },
        { url: 'http://a/b.gif', width: { value: 25, unit: 'percent', isFromFarEdge: false } },
      ],
    },
    watermarks: [
      { path: '/scratch/watermark-0', demuxer: 'png_pipe', width: 40, height: 20 },
      { path: '/scratch/watermark-1', demuxer: 'gif', width: 100, height: 50 },
    ],
    media: phone,
  },
  'crop-to-square': { settings: { size: { width: 480, height: 480 }, aspect_mode: 'crop' } },
  'pad-and-enlarge': {
    settings: { width: 1920, height: 1920, aspect_mode: 'pad', upscale: true },
  },
  rotated: { settings: defaultOutput, media: turned },
  'rotated-and-kept': { settings: { rotate: 0 }, media: turned },
  'even-rate-of-a-clip': { settings: { start_clip: 30, frame_rate: 29.97 }, media: fields },
  'thinned-by-count-and-rate': {
    settings: { decimate: 2, max_frame_rate: 12.5, skip_audio: true, keyframe_interval: 48 },
    media: phone,
  },
  'quality-under-a-cap': { settings: { bitrate_cap: 900 } },
  'held-frame-in-matroska': { settings: {}, filename: 'film.mkv', media: heldFilm },
  'held-frame-of-2018-at-a-rate': {
    settings: { frame_rate: 20 },
    media: heldFilm,
    capabilities: oldCapabilities,
  },
  'one-pass-under-a-cap': {
    settings: { quality: 5, video_bitrate: 800, onepass: true, bitrate_cap: 900, buffer_size: 500 },
  },
  'theora-under-a-cap': { settings: { bitrate_cap: 600 }, filename: 'film.ogv' },
  'vp9-under-a-cap': { settings: { video_codec: 'vp9', bitrate_cap: 600 }, filename: 'film.webm' },
  'fields-rotated-and-clipped': { settings: { start_clip: 30, clip_length: 2.25 }, media: fields },
  'phone-with-packed-audio': { settings: { start_clip: 10 }, media: phone },
  'phone-with-packed-audio-of-2018': { settings: {}, media: phone, capabilities: oldCapabilities },
  'film-in-matroska': { settings: { skip_audio: true }, media: film },
  'film-in-matroska-after-its-audio': { settings: {}, media: filmAfterItsAudio },
  'webm-vp8': { settings: { width: 320 }, filename: 'film.webm' },
  'webm-vp9-opus': { settings: { video_codec: 'vp9', speed: 4 }, filename: 'film.webm' },
  'av1-in-mp4': { settings: { video_codec: 'av1', audio_codec: 'opus' } },
  'theora-at-an-even-rate': { settings: {}, filename: 'film.ogv', media: phone },
  'audio-of-twelve-channels': {
    settings: { skip_video: true },
    media: mediaFacts({ audio: audioFacts({ channels: 12 }) }),
  },
  'audio-mp3': { settings: { audio_bitrate: 144 }, filename: 'audio.mp3' },
  'audio-m4a': {
    settings: { skip_video: true, audio_channels: 1, audio_sample_rate: 22_050 },
    filename: 'a.m4a',
  },
};

for (const [name, { settings, filename = 'film.mp4', media = mediaFacts(), ...others }] of Object.entries(
  cases,
)) {
  test(`the command lines of "${name}" match their golden file`, () => {
    const { capabilities = newCapabilities, isTest = false, watermarks = [] } = others;
    const made = plan([{ ...output(settings, filename, isTest), watermarks }], media, paths, capabilities);
    const text = made.steps.map(({ args }) => `${args.join('\n')}\n`).join('\n');
    matchesGolden(`plan/${name}.txt`, text);
  });
}

test.run();
