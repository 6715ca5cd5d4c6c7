import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { RequestWarning } from '../../../src/shared/settings/request-warning.js';
import type { VideoEncoderName } from '../encoders.js';
import type { VideoCodec } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import type { BitrateCap, CodecOptions } from './decisions.js';
import {
  bitrateFactor,
  fittingLevel,
  type H264Level,
  h264Levels,
  type LevelDemand,
  maxReferenceFrames,
} from './h264-levels.js';
import { chooseFormat, codecsWithProfiles, encodesFormat, formatErrors } from './pixel-formats.js';
import { fullRangeCodecs } from './video-effects.js';

/** The settings of codec options for a codec: those that begin with `h264_` apply to H.264, the others come first. */
function optionsFor(settings: OutputSettings, codec: VideoCodec) {
  const isH264 = codec === 'h264';
  return {
    profile: settings.video_codec_profile ?? (isH264 ? settings.h264_profile : undefined),
    level: settings.video_codec_level ?? (isH264 ? settings.h264_level : undefined),
    references: settings.video_reference_frames ?? (isH264 ? settings.h264_reference_frames : undefined),
    bframes: settings.video_bframes ?? (isH264 ? settings.h264_bframes : undefined),
  };
}

/** Whether an encoder of a codec can make the requested profile and bit depth. */
export function encodesRequest(
  encoder: VideoEncoderName,
  codec: VideoCodec,
  settings: OutputSettings,
): boolean {
  const { profile = null } = optionsFor(settings, codec);
  return encodesFormat(encoder, codec, { profile, depth: settings.video_bit_depth });
}

const pairs = [
  ['video_codec_profile', 'h264_profile'],
  ['video_codec_level', 'h264_level'],
  ['video_reference_frames', 'h264_reference_frames'],
  ['video_bframes', 'h264_bframes'],
] as const;

const hevcLevels: readonly string[] = [
  ...['1', '2', '2.1', '3', '3.1', '4', '4.1', '5', '5.1', '5.2', '6', '6.1', '6.2'],
];

/** Validation errors of codec options that need no input. `path` is the path of the output. */
export function codecOptionErrors(
  settings: OutputSettings,
  codec: VideoCodec,
  path: string,
  { hasFpsMode }: Pick<Capabilities, 'hasFpsMode'>,
): readonly string[] {
  const { profile = null, level } = optionsFor(settings, codec);
  const differing = codec === 'h264' ? pairs : [];
  return [
    ...differing.flatMap(([name, other]) =>
      settings[name] !== undefined && settings[other] !== undefined && settings[name] !== settings[other]
        ? [`${path}.${name} and ${path}.${other} are the same setting and must have the same value`]
        : [],
    ),
    ...formatErrors(codec, { profile, depth: settings.video_bit_depth }, path),
    ...(codec === 'hevc' && level !== undefined && !hevcLevels.includes(level)
      ? [`${path}.video_codec_level must be one of ${hevcLevels.join(', ')} for hevc`]
      : []),
    ...(codec === 'hevc' && settings.tuning === 'animation' && !hasFpsMode
      ? [`${path}.tuning must not be animation for hevc: the installed ffmpeg does not support it`]
      : []),
    ...(settings.constant_bitrate === true && settings.video_bitrate === undefined
      ? [`${path}.constant_bitrate needs video_bitrate`]
      : []),
  ];
}

const x26 = ['h264', 'hevc'];
const withRates = ['h264', 'hevc', 'vp8', 'vp9'];
const withCrf = ['h264', 'hevc', 'vp8', 'vp9', 'av1'];

/** Settings that only some codecs have: names, the codecs, and their description. */
const codecRules: readonly (readonly [readonly (keyof OutputSettings)[], readonly string[], string])[] = [
  [['video_codec_profile'], codecsWithProfiles, 'only h264, hevc, vp9 and av1 have profiles'],
  [['video_codec_level'], ['h264', 'hevc'], 'only h264 and hevc have levels here'],
  [['video_reference_frames', 'video_bframes'], x26, 'only h264 and hevc have this option'],
  [['tuning'], x26, 'only h264 and hevc can be tuned'],
  [['crf'], withCrf, 'this codec has no constant rate factor, so quality applies'],
  [['constant_bitrate'], withRates, 'this codec has no constant bitrate'],
  [
    ['h264_profile', 'h264_level', 'h264_reference_frames', 'h264_bframes'],
    ['h264'],
    'the video is not H.264',
  ],
];

/** Warnings about codec options that have no effect on a codec. `path` is the path of the output. */
export function codecOptionWarnings(
  settings: OutputSettings,
  codec: VideoCodec,
  path: string,
): readonly RequestWarning[] {
  const { profile, bframes } = optionsFor(settings, codec);
  const lost = codecRules.flatMap(([names, codecs, reason]) =>
    codecs.includes(codec)
      ? []
      : names.filter((name) => settings[name] !== undefined).map((name) => ({ name, reason })),
  );
  const warn = (name: string, message: string, strictError?: string): RequestWarning => ({
    field: `${path}.${name}`,
    message,
    ...(strictError === undefined ? {} : { strictError }),
  });
  return [
    ...lost.map(({ name, reason }) => warn(name, `has no effect: ${reason}`)),
    ...((settings.video_bit_depth ?? 8) !== 8 && !codecsWithProfiles.includes(codec)
      ? [warn('video_bit_depth', `has no effect: ${codec} has 8 bits per sample`)]
      : []),
    ...(settings.video_color_range === 'full' && !fullRangeCodecs.includes(codec)
      ? [warn('video_color_range', 'has no effect: only h264 and hevc can have full range')]
      : []),
    ...(settings.crf !== undefined && settings.video_bitrate !== undefined
      ? [warn('crf', 'has no effect with video_bitrate', 'must not be given with video_bitrate')]
      : []),
    ...(codec === 'hevc' && settings.tuning === 'film'
      ? [warn('tuning', 'has no effect: hevc cannot be tuned for film')]
      : []),
    ...(profile === 'baseline' && (bframes ?? 0) > 0
      ? [
          warn(
            'video_bframes',
            'was corrected to 0: the profile baseline has no B-frames',
            'must be 0 for the profile baseline',
          ),
        ]
      : []),
  ];
}

/** The result of deciding the codec options: with the cap of the level, and sentences about what was corrected. */
interface CodecOptionsResult {
  readonly options: CodecOptions;
  readonly cap: BitrateCap | null;
  readonly warnings: readonly string[];
}

/** Reference frames of x264 at the speeds 1 to 5 (its presets slower, slow, medium, faster, veryfast). */
const presetReferences = [8, 5, 3, 2, 1] as const;

/**
 * Decides profile, level, reference frames and B-frames. A level of H.264 is enforced, not only written: the cap, the buffer and the
 * reference frames are lowered to what it allows, and a level that is too low for the size or the rate is raised.
 */
export function decideCodecOptions(
  settings: OutputSettings,
  codec: VideoCodec,
  demand: LevelDemand,
  requestedCap: BitrateCap | null,
): CodecOptionsResult {
  const { profile = null, level, references, bframes } = optionsFor(settings, codec);
  const { profile: known, pixelFormat } = chooseFormat(codec, { profile, depth: settings.video_bit_depth });
  const options: CodecOptions = {
    profile: known,
    pixelFormat,
    level: level === undefined || !x26.includes(codec) ? null : level,
    referenceFrames: references === undefined || !x26.includes(codec) ? null : Math.max(1, references),
    bframes: bframes === undefined || !x26.includes(codec) ? null : known === 'baseline' ? 0 : bframes,
    tune:
      settings.tuning === undefined ||
      !x26.includes(codec) ||
      (codec === 'hevc' && settings.tuning === 'film')
        ? null
        : settings.tuning,
  };
  if (codec !== 'h264' || options.level === null) return { options, cap: requestedCap, warnings: [] };
  const requested: H264Level = level ?? '1';
  const fitting = fittingLevel(requested, demand);
  const factor = bitrateFactor(known);
  const { maxKbps, maxBufferKilobits } = h264Levels[fitting];
  const cap = {
    kbps: Math.min(requestedCap?.kbps ?? Number.POSITIVE_INFINITY, Math.floor(maxKbps * factor)),
    bufferKilobits: Math.min(
      requestedCap?.bufferKilobits ?? Number.POSITIVE_INFINITY,
      Math.floor(maxBufferKilobits * factor),
    ),
  };
  const wanted = options.referenceFrames ?? presetReferences[(settings.speed ?? 3) - 1] ?? 3;
  const referenceFrames = Math.min(wanted, maxReferenceFrames(fitting, demand));
  const warnings =
    fitting === requested
      ? []
      : [
          `video_codec_level was corrected to ${fitting}: ${demand.width}x${demand.height} at ${Math.round(demand.framesPerSecond * 100) / 100} frames per second does not fit into ${requested}.`,
        ];
  return { options: { ...options, level: fitting, referenceFrames }, cap, warnings };
}
