import type { AudioFacts, HdrFacts, MediaFacts, Ratio, VideoFacts } from '../../../daemon/jobs/media.js';
import { audioFacts, mediaFacts, videoFacts } from '../../plan/facts.js';
import type { Choices } from './choices.js';

const frameRates: readonly (Ratio | null)[] = [
  null,
  ...[
    [25, 1],
    [30_000, 1001],
    [1, 10],
    [1000, 1],
    [90_000, 1],
    [1, 1000],
    [2_147_483_647, 1],
  ].map(([numerator = 1, denominator = 1]) => ({ numerator, denominator })),
];
const durations = [null, 0, 0.001, 0.04, 2, 60, 1e6] as const;
const starts = [null, 0, -5, 0.5, 1e6] as const;
const bitrates = [null, 0, 1, 2000, 1e7] as const;

/** The facts of an input as ffprobe may report them: ordinary ones with a few extreme or unknown values. */
export function generateMediaFacts(choices: Choices): MediaFacts {
  const subtitles = choices.sample(
    ['subrip', 'mov_text', 'hdmv_pgs_subtitle', 'ass', 'unknown'],
    choices.integer(0, 2),
  );
  return mediaFacts({
    format: choices.pick(['mpeg4', 'matroska', 'avi', 'mpegts', 'mp3', 'png', 'gif', 'wav', 'x']),
    durationSeconds: choices.pick(durations),
    totalBitrateKbps: choices.pick(bitrates),
    video: choices.chance(0.15) ? null : generateVideo(choices),
    audio: choices.chance(0.15) ? null : generateAudio(choices, 1),
    ...(choices.chance(0.2)
      ? { otherAudio: [generateAudio(choices, 2), { ...generateAudio(choices, 3), language: 'deu' }] }
      : {}),
    ...(subtitles.length === 0
      ? {}
      : {
          subtitles: subtitles.map((codec, index) => ({
            streamIndex: 4 + index,
            codec,
            language: choices.pick(['eng', 'x']),
          })),
        }),
  });
}

function generateVideo(choices: Choices): VideoFacts {
  const side = () => choices.pick([1, 2, 3, 16, 255, 640, 1280, 1920, 8192, 16_384]);
  const ratio = () => choices.pick([1, 1, 1, 2, 10, 65_535]);
  return videoFacts({
    codec: choices.pick([
      'h264',
      'h264',
      'hevc',
      'vp9',
      'av1',
      'png',
      'mjpeg',
      'gif',
      'mpeg2video',
      'rawvideo',
    ]),
    width: side(),
    height: side(),
    sampleAspectRatio: { numerator: ratio(), denominator: ratio() },
    rotationDegrees: choices.pick([0, 0, 90, 180, 270] as const),
    isMirrored: choices.chance(0.1),
    frameRate: choices.pick(frameRates),
    isFrameRateVariable: choices.chance(0.3),
    fieldOrder: choices.pick(['progressive', 'top-first', 'bottom-first', 'unknown'] as const),
    pixelFormat: choices.pick([
      null,
      'yuv420p',
      'yuv444p10le',
      'rgba',
      'gray',
      'pal8',
      'yuv420p12le',
      'none',
    ]),
    bitrateKbps: choices.pick(bitrates),
    durationSeconds: choices.pick(durations),
    startSeconds: choices.pick(starts),
    ...(choices.chance(0.2) ? { frameCount: choices.pick([0, 1, 50, 2 ** 31]) } : {}),
    ...(choices.chance(0.2)
      ? { colourTransfer: choices.pick(['smpte2084', 'arib-std-b67', 'bt709', 'reserved']) }
      : {}),
    ...(choices.chance(0.2) ? { colourSpace: choices.pick(['bt2020nc', 'bt709', 'gbr', 'unknown']) } : {}),
    ...(choices.chance(0.2)
      ? { profile: choices.pick(['High', 'Main 10', '']), level: choices.pick([-99, 0, 31, 255]) }
      : {}),
    ...(choices.chance(0.2) ? { hdr: generateHdr(choices) } : {}),
    ...(choices.chance(0.1)
      ? { dolbyVision: { profile: choices.pick([5, 8, 10, 0]), compatibility: choices.pick([0, 1, 9]) } }
      : {}),
  });
}

function generateHdr(choices: Choices): HdrFacts {
  const point = () => ({
    x: choices.pick([0, 0.3, 0.708, 1.3, 1e9]),
    y: choices.pick([0, 0.32, 0.797, 1e9]),
  });
  return {
    mastering: {
      ...{ red: point(), green: point(), blue: point(), whitePoint: point() },
      luminance: { min: choices.pick([0, 0.0001, 1e9]), max: choices.pick([0, 5, 1000, 1e9]) },
    },
    lightLevels: { maxContent: choices.pick([0, 1000, 1e9]), maxAverage: choices.pick([0, 400, 1e9]) },
  };
}

function generateAudio(choices: Choices, streamIndex: number): AudioFacts {
  return audioFacts({
    streamIndex,
    codec: choices.pick(['aac', 'mp3', 'ac3', 'pcm_s16le', 'opus', 'vorbis', 'amr_nb', 'unknown']),
    channels: choices.pick([1, 2, 2, 6, 8, 64]),
    sampleRate: choices.pick([1, 8000, 11_025, 44_100, 48_000, 192_000, 2_147_483_647]),
    bitrateKbps: choices.pick(bitrates),
    durationSeconds: choices.pick(durations),
    startSeconds: choices.pick(starts),
  });
}
