import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job.js';
import { displaySize, orientationOf, type VideoFacts } from '../../jobs/media.js';
import { isStrictAbout, nameInSentence } from '../device-profiles.js';
import {
  keepsClosedCaptions,
  levelOf,
  type VideoEncoder,
  type VideoEncoderName,
  videoEncoders,
} from '../encoders.js';
import type { Capabilities, WatermarkImage } from '../plan-types.js';
import { hasConstantBitrate, targetKbps } from './bitrate-cap.js';
import { decideCodecOptions } from './codec-options.js';
import { decideColours, finalMatrix } from './colours.js';
import type {
  BitrateCap,
  Correction,
  FieldOrderDecision,
  Signalling,
  VideoDecision,
  VideoRate,
} from './decisions.js';
import { decideHdr, dolbyVisionOnlyMessage, isDolbyVisionOnly } from './hdr.js';
import { decideKeyframes, losesKeyframesInTwoPasses } from './keyframes.js';
import { depthFor } from './pixel-formats.js';
import { firstRate, targetQuality } from './quality-target.js';
import { decideLimitedFit, enlargedWarnings, pixelsOf } from './size.js';
import { decideTiming, type TimingSource } from './timing.js';
import { decideEffects, decideFieldRate, decideSignalling } from './video-effects.js';
import { decideWatermarks, watermarkArea } from './watermarks.js';

/**
 * Decides the video of an output with what was left out for this input, or returns why the settings cannot be met with
 * this input.
 */
export function decideVideo(
  settings: OutputSettings,
  video: VideoFacts,
  encoder: VideoEncoderName,
  source: TimingSource,
  watermarks: readonly WatermarkImage[] = [],
  capabilities: Pick<Capabilities, 'filters' | 'encoders' | 'version'> = {
    filters: new Set(),
    encoders: new Set(),
    version: null,
  },
  segmentGrids: readonly number[] = [],
  burnsCaptions = false,
): VideoResult {
  if (isDolbyVisionOnly(video))
    return { failure: { errorClass: 'UnsupportedInputError', message: dolbyVisionOnlyMessage } };
  // 0 is a request too: no rotation, whatever the file signals.
  const rotated: VideoFacts =
    settings.rotate === undefined ? video : { ...video, rotationDegrees: settings.rotate, isMirrored: false };
  const { codec, minSidePixels = 0 }: VideoEncoder = videoEncoders[encoder];
  const signalling = decideSignalling(settings, codec);
  const { fit, corrections } = decideLimitedFit(settings, rotated, signalling.pixelRatio === null);
  const { width, height } = fit.canvas;
  if (pixelsOf(fit) > maxPixels) {
    return rejected(`The video would be ${width}x${height} pixels; the maximum is ${maxPixels} pixels.`);
  }
  if (Math.min(width, height) < minSidePixels) {
    return rejected(
      `The video would be ${width}x${height} pixels; ${encoder} needs sides of at least ${minSidePixels} pixels.`,
    );
  }
  const deinterlace = decideFields(settings.deinterlace ?? 'detect', video);
  const isDrawnOn = burnsCaptions || watermarks.length > 0;
  const hdr = decideHdr(settings, video, encoder, { isDrawnOn, capabilities });
  const colourDecision = decideColours(video, codec, capabilities, hdr.kept);
  const matrix = finalMatrix(colourDecision);
  const area = watermarkArea(fit, displaySize(rotated));
  const { overlays, leftOut } = decideWatermarks(settings.watermark ?? [], watermarks, area, matrix);
  if (settings.strict === true && leftOut[0] !== undefined)
    return {
      failure: {
        errorClass: 'WatermarkError',
        message: `${leftOut[0].subject} cannot be shown: ${leftOut[0].reason}.`,
      },
    };
  const fieldRate = decideFieldRate(settings, video, deinterlace);
  const { isFramePerField } = fieldRate;
  const { effects, warnings } = decideEffects(settings, video);
  const timing = decideTiming(settings, isFramePerField ? withDoubleRate(video) : video, encoder, source);
  const keyframes = decideKeyframes(settings, timing, segmentGrids);
  const demand = { width, height, framesPerSecond: timing.framesPerSecond ?? assumedRateOfLevels };
  const depth = depthFor(settings.video_bit_depth, codec, {
    inputFormat: video.pixelFormat,
    isHdr: hdr.kept !== null,
  });
  const codecOptions = decideCodecOptions(settings, codec, demand, depth);
  const fields = withinFieldHeight(signalling, height);
  const quality = targetQuality(settings, encoder);
  const corrected = [...corrections, ...hdr.corrections, ...codecOptions.corrections, ...fields.corrections];
  const errors = corrected.filter(({ name }) => isStrictAbout(settings, name));
  if (errors.length > 0) return rejected(errors.map((one) => toStrictSentence(settings, one)).join(' '));
  return {
    warnings: [
      ...enlargedWarnings(rotated, fit),
      ...fieldRate.warnings,
      ...warnings,
      ...hdr.warnings,
      ...leftOut.map(({ subject, reason }) => `${subject} was left out, because ${reason}.`),
      ...corrected.map((one) => toSentence(settings, one)),
      ...(video.hasClosedCaptions === true &&
      settings.skip_captions !== true &&
      !keepsClosedCaptions(encoder, capabilities)
        ? ['The closed captions within the video were left out: only H.264 keeps them.']
        : []),
    ],
    video: {
      streamIndex: video.streamIndex,
      inputCodec: video.codec,
      encoder,
      inputDecoder: decideDecoder(video, capabilities),
      firstFrame: isFittable(video) ? video : null,
      deinterlace,
      isFramePerField,
      staysInterlaced: deinterlace === null && decideFields('detect', video) !== null,
      orientation: orientationOf(rotated),
      hasDisplayMatrix: orientationOf(video) !== 1,
      fit,
      ...colourDecision,
      ...(hdr.kept === null ? {} : { hdr: hdr.kept }),
      ...(colourDecision.toneMapFrom !== null || hdr.kept !== null || video.dolbyVision !== undefined
        ? { dropsHdrData: true }
        : {}),
      watermarks: overlays,
      ...timing,
      rate:
        quality === null
          ? withinLevel(
              decideVideoRate(settings, encoder, losesKeyframesInTwoPasses(keyframes, encoder)),
              codecOptions,
            )
          : firstRate(quality.scale),
      ...(quality === null ? {} : { quality }),
      cap: codecOptions.cap,
      speed: levelOf(settings.speed),
      codecOptions: codecOptions.options,
      keyframes,
      effects,
      signalling: fields.signalling,
    },
  };
}

/** H.264 that is declared as interlaced has two lines of a macroblock in each field: x264 rejects other heights. */
function withinFieldHeight(
  signalling: Signalling,
  height: number,
): { readonly signalling: Signalling; readonly corrections: readonly Correction[] } {
  if (!signalling.declaresFields || height % 4 === 0) return { signalling, corrections: [] };
  const reason = `the height of ${height} pixels is not a multiple of 4`;
  return {
    signalling: { ...signalling, declaresFields: false },
    corrections: [{ name: 'force_interlace_headers', value: 'false', reason }],
  };
}

/** The video of an output with what was corrected, or why the settings cannot be met. */
type VideoResult =
  | { readonly video: VideoDecision; readonly warnings: readonly string[] }
  | { readonly failure: JobFailure };

/** A bitrate is at most that of the level, and a constant one, which is the peak, too, at most the cap. */
function withinLevel(
  rate: VideoRate,
  { cap, levelKbps }: { readonly cap: BitrateCap | null; readonly levelKbps: number | null },
): VideoRate {
  if (rate.by !== 'bitrate') return rate;
  const max = rate.isConstant === true ? cap?.kbps : levelKbps;
  return { ...rate, kbps: Math.min(rate.kbps, max ?? Number.POSITIVE_INFINITY) };
}

function toSentence(settings: OutputSettings, { name, value, reason }: Correction): string {
  return `${nameInSentence(settings, name)} was corrected to ${value}: ${reason}.`;
}

function toStrictSentence(settings: OutputSettings, { name, value, reason }: Correction): string {
  return `${nameInSentence(settings, name)} would be corrected to ${value}, but strict is set: ${reason}.`;
}

/** The frame rate that a level has to allow if the rate of the input is unknown. */
const assumedRateOfLevels = 30;

function withDoubleRate(video: VideoFacts): VideoFacts {
  const { frameRate } = video;
  return frameRate === null
    ? video
    : { ...video, frameRate: { ...frameRate, numerator: frameRate.numerator * 2 } };
}

function rejected(message: string): { readonly failure: JobFailure } {
  return { failure: { errorClass: 'InvalidVideoSettingsError', message } };
}

/**
 * Decides the field order to deinterlace (`deinterlace`); null for no deinterlacing. `detect` deinterlaces only if the
 * file signals a field order.
 */
export function decideFields(
  mode: 'on' | 'off' | 'detect',
  { fieldOrder }: VideoFacts,
): FieldOrderDecision | null {
  if (mode === 'off') return null;
  if (fieldOrder === 'top-first' || fieldOrder === 'bottom-first') return fieldOrder;
  return mode === 'on' ? 'as-flagged' : null;
}

/** The native VP8 and VP9 decoders of ffmpeg ignore transparency; those of libvpx decode it. */
function decideDecoder(
  { codec, hasAlpha }: VideoFacts,
  { encoders }: Pick<Capabilities, 'encoders'>,
): string | null {
  const decoder = codec === 'vp8' ? 'libvpx' : codec === 'vp9' ? 'libvpx-vp9' : null;
  // A build that has the encoders of a library also has its decoders.
  return hasAlpha === true && decoder !== null && encoders.has(decoder) ? decoder : null;
}

/**
 * Formats that the filters that fit a frame keep as they are, with all builds of ffmpeg: they pad neither palettes nor
 * packed YUV.
 */
const fittableFormat =
  /^(?:yuv[ja]?4(44|40|22|20|11|10)p(?:1[02]le)?|gray(?:10le)?|nv(12)|rgb24|bgr24|(?:rgb|bgr)0|rgba|gbrap|gbrp(?:10le)?)$/;

/** Formats with odd sides that are fitted in another format, which has a sample of chroma for each pixel. */
export const oddFormat = /^yuv4(?:20|22)p(10le)?$/;

/** The sides of the square of pixels that share a sample of chroma, by the number in the name of the format. */
const chromaSteps: Readonly<Record<string, readonly [number, number]>> = {
  ...{ '40': [1, 2], '22': [2, 1], '20': [2, 2], '12': [2, 2], '11': [4, 1], '10': [4, 4] },
};

/**
 * Whether frames can be fitted. `pad` rounds sides down to whole samples of chroma; if the sides are odd, that needs
 * another format, which not all builds convert full range to.
 */
export function isFittable({ width, height, pixelFormat, colourRange }: VideoFacts): boolean {
  const match = fittableFormat.exec(pixelFormat ?? '');
  if (match === null || Math.min(width, height) < 2) return false;
  const [stepX, stepY] = chromaSteps[match[1] ?? match[2] ?? ''] ?? [1, 1];
  if (width % stepX === 0 && height % stepY === 0) return true;
  return colourRange !== 'full' && oddFormat.test(pixelFormat ?? '');
}

/** Converts a factor on the scale of x264, 1 to 51, to that of an encoder. */
function crfOnScaleOf({ min = 0, max }: NonNullable<VideoEncoder['crf']>, factor: number): number {
  return Math.max(min, Math.round((factor * max) / 51));
}

/** The settings of the video bitrate (section 4.1 Video bitrate). */
type VideoRateSettings = Pick<
  OutputSettings,
  'quality' | 'video_bitrate' | 'bitrate_cap' | 'onepass' | 'crf' | 'constant_bitrate' | 'max_video_bitrate'
>;

/**
 * Decides the target of the rate control: `quality`, or `video_bitrate`, which takes precedence. A bitrate uses two
 * passes, as does a quality if the encoder gains from them, unless `onepass` is set. A quality with a cap uses one
 * pass.
 */
function decideVideoRate(
  settings: VideoRateSettings,
  encoder: VideoEncoderName,
  needsOnePass: boolean,
): VideoRate {
  const allowsTwoPasses = settings.onepass !== true && !needsOnePass;
  const { codec, hasTwoPassQuality, crf: crfArgs }: VideoEncoder = videoEncoders[encoder];
  const kbps = targetKbps(settings);
  if (kbps !== undefined) {
    if (hasConstantBitrate(settings, codec)) return { by: 'bitrate', kbps, passes: 1, isConstant: true };
    return { by: 'bitrate', kbps, passes: allowsTwoPasses ? 2 : 1 };
  }
  if (settings.crf !== undefined && crfArgs !== undefined)
    return { by: 'crf', factor: crfOnScaleOf(crfArgs, settings.crf), passes: 1 };
  const usesTwoPasses = allowsTwoPasses && hasTwoPassQuality === true && settings.bitrate_cap === undefined;
  return { by: 'quality', level: levelOf(settings.quality), passes: usesTwoPasses ? 2 : 1 };
}
