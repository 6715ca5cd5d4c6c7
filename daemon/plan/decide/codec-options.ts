import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { RequestWarning } from '../../../src/shared/settings/setting.js';
import { hasTargetBitrate } from '../../../src/shared/settings/video.js';
import { isStrictAbout } from '../device-profiles.js';
import type { VideoEncoderName } from '../encoders.js';
import type { VideoCodec } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import { codecsWithConstantBitrate, decideCap, targetKbps } from './bitrate-cap.js';
import type { BitrateCap, CodecOptions, Correction } from './decisions.js';
import {
  bitrateFactor,
  fittingLevel,
  h264Levels,
  type LevelDemand,
  maxReferenceFrames,
  toH264Level,
} from './h264-levels.js';
import { hdrErrors } from './hdr.js';
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
  return encodesFormat(encoder, codec, { profile, depth: givenDepth(settings) });
}

/** The requested bits per sample, if they do not depend on the input. */
function givenDepth({ video_bit_depth: depth }: OutputSettings) {
  return depth === 'auto' ? undefined : depth;
}

const profilePair = ['video_codec_profile', 'h264_profile'] as const;
const levelPair = ['video_codec_level', 'h264_level'] as const;
const referencesPair = ['video_reference_frames', 'h264_reference_frames'] as const;
const bframesPair = ['video_bframes', 'h264_bframes'] as const;
const pairs = [profilePair, levelPair, referencesPair, bframesPair] as const;

/** The name under which the request has an option: that of H.264, or the one for all codecs, which comes first. */
function sentName([name, h264Name]: (typeof pairs)[number], settings: OutputSettings) {
  return settings[name] === undefined && settings[h264Name] !== undefined ? h264Name : name;
}

/** Validation errors of codec options that need no input. `path` is the path of the output. */
export function codecOptionErrors(
  settings: OutputSettings,
  codec: VideoCodec,
  path: string,
  capabilities: Pick<Capabilities, 'hasFpsMode' | 'encoders'>,
): readonly string[] {
  const { hasFpsMode } = capabilities;
  const { profile = null, level } = optionsFor(settings, codec);
  const differing = codec === 'h264' ? pairs : [];
  return [
    ...differing.flatMap(([name, other]) =>
      settings[name] !== undefined && settings[other] !== undefined && settings[name] !== settings[other]
        ? [`${path}.${name} and ${path}.${other} are the same setting and must have the same value`]
        : [],
    ),
    ...formatErrors(codec, { profile, depth: givenDepth(settings) }, path).map((error) =>
      error.replace(profilePair[0], sentName(profilePair, settings)),
    ),
    ...hdrErrors(settings, { codec, profile }, capabilities, path),
    ...levelErrors(settings, codec, path),
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

/**
 * In strict mode, a level that is too low for the requested size and frame rate is an error, as far as they are known.
 */
function levelErrors(settings: OutputSettings, codec: VideoCodec, path: string): readonly string[] {
  const { level } = optionsFor(settings, codec);
  const { width, height, frame_rate, max_frame_rate = Number.POSITIVE_INFINITY } = settings;
  const name = sentName(levelPair, settings);
  if (level === undefined || width === undefined || height === undefined || !h264AndHevc.includes(codec))
    return [];
  if (!isStrictAbout(settings, name)) return [];
  const framesPerSecond = frame_rate === undefined ? 0 : Math.min(frame_rate, max_frame_rate);
  const fitting = fittingLevelOf(codec, level, { width, height, framesPerSecond });
  const rate = frame_rate === undefined ? '' : ` at ${rounded(framesPerSecond)} frames per second`;
  return fitting === level
    ? []
    : [`${path}.${name} must be at least ${fitting} for ${sizeOf({ width, height })}${rate}`];
}

function fittingLevelOf(codec: VideoCodec, level: string, demand: LevelDemand): string {
  return codec === 'hevc' ? fittingHevcLevel(level, demand) : fittingLevel(toH264Level(level), demand);
}

function sizeOf({ width, height }: Pick<LevelDemand, 'width' | 'height'>): string {
  return `${width}x${height}`;
}

function rounded(framesPerSecond: number): number {
  return Math.round(framesPerSecond * 100) / 100;
}

const h264AndHevc = ['h264', 'hevc'];
const withCrf = ['h264', 'hevc', 'vp8', 'vp9', 'av1'];

/** Settings that only some codecs have: names, the codecs, and their description. */
const codecRules: readonly (readonly [readonly (keyof OutputSettings)[], readonly string[], string])[] = [
  [['video_codec_profile'], codecsWithProfiles, 'only h264, hevc, vp9 and av1 have profiles'],
  [['video_codec_level'], ['h264', 'hevc'], 'only h264 and hevc have levels here'],
  [['video_reference_frames', 'video_bframes'], h264AndHevc, 'only h264 and hevc have this option'],
  [['tuning'], h264AndHevc, 'only h264 and hevc can be tuned'],
  [['crf'], withCrf, 'this codec has no constant rate factor, so quality applies'],
  [['constant_bitrate'], codecsWithConstantBitrate, 'this codec has no constant bitrate'],
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
  const { quality_target, crf } = settings;
  const factor = quality_target !== undefined ? 'quality_target' : crf !== undefined ? 'crf' : null;
  return [
    ...lost.map(({ name, reason }) => warn(name, `has no effect: ${reason}`)),
    ...((givenDepth(settings) ?? 8) !== 8 && !codecsWithProfiles.includes(codec)
      ? [warn('video_bit_depth', `has no effect: ${codec} has 8 bits per sample`)]
      : []),
    ...(settings.video_color_range === 'full' && !fullRangeCodecs.includes(codec)
      ? [warn('video_color_range', 'has no effect: only h264 and hevc can have full range')]
      : []),
    ...(['video_bitrate', 'target_size', 'quality_target'] as const).flatMap((name) =>
      settings.crf !== undefined && settings[name] !== undefined
        ? [warn('crf', `has no effect with ${name}`, `must not be given with ${name}`)]
        : [],
    ),
    ...(factor !== null &&
    !hasTargetBitrate(settings) &&
    settings.quality !== undefined &&
    withCrf.includes(codec)
      ? [warn('quality', `has no effect with ${factor}`, `must not be given with ${factor}`)]
      : []),
    ...(codec === 'hevc' && settings.tuning === 'film'
      ? [warn('tuning', 'has no effect: hevc cannot be tuned for film')]
      : []),
    ...(profile === 'baseline' && (bframes ?? 0) > 0
      ? [
          warn(
            sentName(bframesPair, settings),
            'was corrected to 0: the profile baseline has no B-frames',
            'must be 0 for the profile baseline',
          ),
        ]
      : []),
  ];
}

/** Reference frames of x264 at the speeds 1 to 5 (its presets slower, slow, medium, faster, veryfast). */
const presetReferences = [8, 5, 3, 2, 1] as const;

/**
 * Decides profile, level, reference frames and B-frames. A level of H.264 is enforced, not only written: the cap, the
 * buffer and the reference frames are lowered to what it allows, and a level that is too low for the size or the rate
 * is raised.
 */
export function decideCodecOptions(
  settings: OutputSettings,
  codec: VideoCodec,
  demand: LevelDemand,
  depth = givenDepth(settings),
): CodecOptionsDecision {
  const { profile = null, level, references, bframes } = optionsFor(settings, codec);
  const { profile: known, pixelFormat } = chooseFormat(codec, { profile, depth });
  const options: CodecOptions = {
    profile: known,
    pixelFormat,
    level: level === undefined || !h264AndHevc.includes(codec) ? null : fittingLevelOf(codec, level, demand),
    referenceFrames:
      references === undefined || !h264AndHevc.includes(codec) ? null : Math.max(1, references),
    bframes:
      bframes === undefined || !h264AndHevc.includes(codec) ? null : known === 'baseline' ? 0 : bframes,
    tune:
      settings.tuning === undefined ||
      !h264AndHevc.includes(codec) ||
      (codec === 'hevc' && settings.tuning === 'film')
        ? null
        : settings.tuning,
  };
  const cap = decideCap(settings, codec);
  if (options.level === null) return { options, cap, levelKbps: null, corrections: [] };
  const raised: readonly Correction[] =
    options.level === level
      ? []
      : [
          {
            name: sentName(levelPair, settings),
            value: options.level,
            reason: `${sizeOf(demand)} at ${rounded(demand.framesPerSecond)} frames per second does not fit into ${level}`,
          },
        ];
  if (codec !== 'h264') return { options, cap, levelKbps: null, corrections: raised };
  const fitting = toH264Level(options.level);
  const factor = bitrateFactor(known);
  const maxKbps = Math.floor(h264Levels[fitting].maxKbps * factor);
  const maxBufferKilobits = Math.floor(h264Levels[fitting].maxBufferKilobits * factor);
  const wanted = options.referenceFrames ?? presetReferences[(settings.speed ?? 3) - 1] ?? 3;
  const referenceFrames = Math.min(wanted, maxReferenceFrames(fitting, demand));
  const { bitrate_cap, buffer_size } = settings;
  const lowered = (
    name: keyof OutputSettings,
    requested: number | undefined,
    value: number,
    what: string,
  ): readonly Correction[] =>
    requested === undefined || requested <= value
      ? []
      : [{ name, value: String(value), reason: `level ${fitting} of H.264 ${what}` }];
  return {
    options: { ...options, level: fitting, referenceFrames },
    cap: {
      kbps: Math.min(cap?.kbps ?? Number.POSITIVE_INFINITY, maxKbps),
      bufferKilobits: Math.min(cap?.bufferKilobits ?? Number.POSITIVE_INFINITY, maxBufferKilobits),
    },
    levelKbps: maxKbps,
    corrections: [
      ...raised,
      ...lowered('video_bitrate', targetKbps(settings), maxKbps, 'has no higher bitrate'),
      ...lowered('bitrate_cap', bitrate_cap, maxKbps, 'has no higher bitrate'),
      ...lowered(
        'buffer_size',
        cap === null ? undefined : buffer_size,
        maxBufferKilobits,
        'has no larger buffer',
      ),
      ...lowered(
        sentName(referencesPair, settings),
        references,
        referenceFrames,
        `has no more reference frames at ${sizeOf(demand)}`,
      ),
    ],
  };
}

/** The result of deciding the codec options. */
interface CodecOptionsDecision {
  readonly options: CodecOptions;
  readonly cap: BitrateCap | null;
  /** The highest bitrate of the level in Kbps; null if it does not limit that. */
  readonly levelKbps: number | null;
  readonly corrections: readonly Correction[];
}

/** The most luma samples of a frame and of a second, by level of HEVC (Recommendation H.265, annex A), lowest first. */
const levels: readonly (readonly [level: string, perFrame: number, perSecond: number])[] = [
  ['1', 36_864, 552_960],
  ['2', 122_880, 3_686_400],
  ['2.1', 245_760, 7_372_800],
  ['3', 552_960, 16_588_800],
  ['3.1', 983_040, 33_177_600],
  ['4', 2_228_224, 66_846_720],
  ['4.1', 2_228_224, 133_693_440],
  ['5', 8_912_896, 267_386_880],
  ['5.1', 8_912_896, 534_773_760],
  ['5.2', 8_912_896, 1_069_547_520],
  ['6', 35_651_584, 1_069_547_520],
  ['6.1', 35_651_584, 2_139_095_040],
  ['6.2', 35_651_584, 4_278_190_080],
];

/** The levels of HEVC. */
const hevcLevels: readonly string[] = levels.map(([level]) => level);

/**
 * The given level if the video fits into it, else the lowest higher one that it fits into; the highest if it fits into
 * none. x265 does not open with a lower one.
 */
function fittingHevcLevel(level: string, { width, height, framesPerSecond }: LevelDemand): string {
  const found = levels
    .slice(Math.max(0, hevcLevels.indexOf(level)))
    .find(
      ([, perFrame, perSecond]) =>
        width * height <= perFrame &&
        Math.max(width, height) <= Math.sqrt(8 * perFrame) &&
        width * height * framesPerSecond <= perSecond,
    );
  return found?.[0] ?? '6.2';
}
