import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { isSegmented } from '../../../src/shared/settings/segments.js';
import type { AudioFacts, MediaFacts, Ratio, VideoFacts } from '../../jobs/media.js';
import { audioEncoders } from '../audio-encoders.js';
import { videoEncoders } from '../encoders.js';
import type { VideoCodec } from '../formats.js';
import type { AudioDecision, AudioTrack, Decision, VideoDecision } from './decisions.js';
import { trackLabel } from './select-tracks.js';
import { isHigher } from './timing.js';

/** A property of the input, and whether it differs from that of the encoded output, or may differ. */
type Difference = readonly [property: string, differs: boolean];

/** Containers that store the time of each frame, and packets as all other containers have them. */
export const copyableFormats: ReadonlySet<string> = new Set([
  'mpeg4',
  'matroska',
  'webm',
  'mpeg-ts',
  'flv',
  'ogg',
]);

/** Whether a stream may be copied or encoded, as the input turns out. */
export function hasAutoCopies({ copy_video, copy_audio }: OutputSettings): boolean {
  return copy_video === 'auto' || copy_audio === 'auto';
}

/** The settings with which every stream that may be copied is encoded. */
export function withoutAutoCopies(settings: OutputSettings): OutputSettings {
  const { copy_video, copy_audio, ...others } = settings;
  return {
    ...others,
    ...(copy_video === undefined || copy_video === 'auto' ? {} : { copy_video }),
    ...(copy_audio === undefined || copy_audio === 'auto' ? {} : { copy_audio }),
  };
}

/** The settings with each `auto` decided, and what was decided, one sentence for each stream. */
interface DecidedCopies {
  readonly settings: OutputSettings;
  /** The tracks of audio that are encoded although `copy_audio` is then set, by the index of their stream. */
  readonly encodedAudio: ReadonlySet<number>;
  readonly notes: readonly string[];
}

/**
 * Decides `auto` of `copy_video` and `copy_audio`: a stream is copied if encoding it would not change any property of
 * it that the settings or their defaults determine. `encoded` is the decision if it is encoded.
 */
export function decideAutoCopies(
  settings: OutputSettings,
  encoded: Decision,
  media: MediaFacts,
): DecidedCopies {
  const { video, format } = media;
  const common: readonly Difference[] = [
    ['container', !copyableFormats.has(format)],
    ['start', encoded.clip.startSeconds > 0],
    ['hint tracks', encoded.hasHintTracks === true],
  ];
  const isAuto = { video: settings.copy_video === 'auto', audio: settings.copy_audio === 'auto' };
  const videoResult =
    isAuto.video && encoded.video !== null && video !== null
      ? toResult('video', [...common, ...videoDifferences(settings, encoded.video, video)])
      : null;
  const audioResults = isAuto.audio
    ? encoded.audio.flatMap(({ encoding, source }) => {
        if (encoding === null) return [];
        const name =
          encoded.audio.length === 1 ? 'audio' : `audio of track ${trackLabel(source, media)} of the input`;
        const result = toResult(name, [...common, ...audioDifferences(encoding, source)]);
        return { ...result, streamIndex: source.streamIndex };
      })
    : [];
  return {
    settings: {
      ...withoutAutoCopies(settings),
      ...(videoResult?.isCopied === true ? { copy_video: true } : {}),
      ...(audioResults.some(({ isCopied }) => isCopied) ? { copy_audio: true } : {}),
    },
    encodedAudio: new Set(audioResults.flatMap(({ isCopied, streamIndex }) => (isCopied ? [] : streamIndex))),
    notes: [...(videoResult === null ? [] : [videoResult]), ...audioResults].map(({ note }) => note),
  };
}

function toResult(
  stream: string,
  differences: readonly Difference[],
): { readonly isCopied: boolean; readonly note: string } {
  const names = differences.filter(([, differs]) => differs).map(([property]) => property);
  const isCopied = names.length === 0;
  const note = isCopied
    ? `The ${stream} is copied, because it already is as requested.`
    : `The ${stream} is encoded, because these properties are or may be different: ${names.join(', ')}.`;
  return { isCopied, note };
}

function videoDifferences(
  settings: OutputSettings,
  decided: VideoDecision,
  input: VideoFacts,
): readonly Difference[] {
  const { fit, codecOptions, rate, conversion, signalling, effects, timing } = decided;
  const { codec } = videoEncoders[decided.encoder];
  const level = settings.video_codec_level ?? settings.h264_level;
  const { canvas } = fit;
  return [
    ['codec', input.codec !== codec],
    ['size', fit.scaleTo !== null || canvas.width !== input.width || canvas.height !== input.height],
    ['rotation', decided.orientation !== 1 || decided.hasDisplayMatrix],
    ['fields', decided.deinterlace !== null || signalling.declaresFields],
    ['frame rate', !keepsFrameRate(timing, input)],
    ['pixel format', input.pixelFormat !== codecOptions.pixelFormat || conversion.hasAlpha],
    [
      'colours',
      decided.toneMapFrom !== null ||
        conversion.from !== conversion.to ||
        conversion.isFullRange !== signalling.isFullRange ||
        !signalling.hasColours,
    ],
    [
      'HDR metadata',
      settings.hdr_format !== undefined || (input.hdr !== undefined && decided.hdr === undefined),
    ],
    ['pixel shape', signalling.pixelRatio !== null],
    ['profile', codecOptions.profile !== null && profileName(input) !== codecOptions.profile],
    ['level', codecOptions.level !== null && !(levelNumber(codec, input) <= Number(level))],
    [
      'reference frames',
      settings.video_reference_frames !== undefined || settings.h264_reference_frames !== undefined,
    ],
    ['B-frames', codecOptions.bframes !== null],
    [
      'bitrate',
      settings.bitrate_cap !== undefined ||
        isAbove(input.bitrateKbps, rate.by === 'bitrate' ? rate.kbps : settings.max_video_bitrate) ||
        (rate.by === 'bitrate' && rate.isConstant === true),
    ],
    ['keyframes', isSegmented(settings) || keyframeSettings.some((name) => settings[name] !== undefined)],
    [
      'filters',
      decided.watermarks.length > 0 ||
        effects.deblocks ||
        effects.denoise !== null ||
        effects.levels ||
        effects.flip !== null ||
        effects.sharpens,
    ],
  ];
}

/** The distances of the keyframes of the input are unknown. */
const keyframeSettings = [
  ...(['keyframe_interval', 'keyframe_rate', 'fixed_keyframe_interval'] as const),
  ...(['forced_keyframe_interval', 'forced_keyframe_rate', 'prepare_for_segmenting'] as const),
] as const;

/** Whether the samples of encoded audio are mixed from others. */
function isMixed({ channels, converted, joined, mixing }: AudioDecision, input: AudioFacts): boolean {
  return (
    input.channels !== channels || converted !== undefined || joined !== undefined || mixing.by === 'weights'
  );
}

function hasEffects({ effects: { normalization, hasKaraoke, ...others } }: AudioDecision): boolean {
  const changes = [...Object.values(others), ...Object.values(normalization)].some((value) => value !== null);
  return hasKaraoke || changes;
}

/** Whether a track of an output is as loud as its source: copied, or encoded without a mix or an effect. */
export function isAsLoud({ encoding, source }: AudioTrack): boolean {
  return encoding === null || !(isMixed(encoding, source) || hasEffects(encoding));
}

function audioDifferences(decided: AudioDecision, input: AudioFacts): readonly Difference[] {
  const { rate } = decided;
  return [
    ['codec', input.codec !== audioEncoders[decided.encoder].codec || decided.repack !== null],
    ['channels', isMixed(decided, input)],
    ['sample rate', input.sampleRate !== decided.sampleRate],
    ['profile', decided.profile !== null],
    ['bitrate', rate.by === 'bitrate' && (isAbove(input.bitrateKbps, rate.kbps) || rate.isConstant === true)],
    ['effects', hasEffects(decided)],
  ];
}

/** Whether a bitrate is above a maximum or unknown. */
function isAbove(kbps: number | null, max: number | undefined): boolean {
  return max !== undefined && (kbps === null || kbps > max);
}

function keepsFrameRate(timing: VideoDecision['timing'], input: VideoFacts): boolean {
  const { frameRate, isFrameRateVariable } = input;
  if (timing.by === 'source-timestamps' && timing.dropRules.length === 0) return true;
  if (frameRate === null || isFrameRateVariable) return false;
  if (timing.by === 'constant-rate') return isSame(timing.rate, frameRate);
  return timing.dropRules.every((rule) => rule.by === 'rate' && !isHigher(frameRate, rule.maxRate));
}

function isSame(a: Ratio, b: Ratio): boolean {
  return !isHigher(a, b) && !isHigher(b, a);
}

/** The profile of a video as the settings name it: `high10` for ffprobe's `High 10`. */
function profileName({ profile = '' }: VideoFacts): string {
  return profile.toLowerCase().replace(/^constrained |^profile | predictive$|[ :]/g, '');
}

/** The level of a video as a number; infinite if unknown. */
function levelNumber(codec: VideoCodec, { level = Number.POSITIVE_INFINITY }: VideoFacts): number {
  return level / (codec === 'hevc' ? 30 : 10);
}
