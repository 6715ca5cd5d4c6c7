import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { VideoEncoderName } from '../encoders.js';
import type { VideoCodec } from '../formats.js';

/** Bits per sample. */
type BitDepth = Exclude<NonNullable<OutputSettings['video_bit_depth']>, 'auto'>;

/** The pixel formats of a profile by bit depth; the lowest is its default. */
type FormatsByDepth = Readonly<Partial<Record<BitDepth, string>>>;

/** The profiles of each codec with their pixel formats; the first one is the default of its encoder. */
const profilesByCodec: Readonly<Partial<Record<VideoCodec, Readonly<Record<string, FormatsByDepth>>>>> = {
  h264: {
    baseline: { 8: 'yuv420p' },
    main: { 8: 'yuv420p' },
    high: { 8: 'yuv420p' },
    high10: { 10: 'yuv420p10le' },
    high422: { 10: 'yuv422p10le' },
    high444: { 8: 'yuv444p' },
  },
  hevc: {
    main: { 8: 'yuv420p' },
    main10: { 10: 'yuv420p10le' },
    main12: { 12: 'yuv420p12le' },
    'main422-10': { 10: 'yuv422p10le' },
    'main422-12': { 12: 'yuv422p12le' },
    'main444-8': { 8: 'yuv444p' },
    'main444-10': { 10: 'yuv444p10le' },
    'main444-12': { 12: 'yuv444p12le' },
  },
  vp9: {
    '0': { 8: 'yuv420p' },
    '1': { 8: 'yuv444p' },
    '2': { 10: 'yuv420p10le', 12: 'yuv420p12le' },
    '3': { 10: 'yuv444p10le', 12: 'yuv444p12le' },
  },
  av1: {
    main: { 8: 'yuv420p', 10: 'yuv420p10le' },
    high: { 8: 'yuv444p', 10: 'yuv444p10le' },
    professional: { 10: 'yuv422p10le', 12: 'yuv422p12le' },
  },
};

/** The codecs that have profiles. */
export const codecsWithProfiles: readonly string[] = Object.keys(profilesByCodec);

const defaultFormat = 'yuv420p';

/** The colours of a GIF are those of pixels, none of which shares its chroma with others. */
const ownDefaults: Readonly<Partial<Record<VideoCodec, string>>> = { gif: 'yuv444p' };

/** The settings that decide the pixel format; `profile` is that of the codec. */
interface FormatRequest {
  readonly profile: string | null;
  readonly depth: BitDepth | undefined;
}

/** A profile, if one is needed, and its pixel format. */
interface FormatChoice {
  readonly profile: string | null;
  readonly pixelFormat: string;
}

/**
 * The profile and the pixel format for a request. Without a profile, a depth above 8 selects the first profile that has
 * it.
 */
export function chooseFormat(codec: VideoCodec, { profile, depth }: FormatRequest): FormatChoice {
  const profiles = profilesByCodec[codec] ?? {};
  const given = profile === null ? undefined : ownFormats(profiles, profile);
  if (given !== undefined) return { profile, pixelFormat: formatOf(given, depth) };
  const implied =
    depth === undefined || depth === 8
      ? undefined
      : Object.entries(profiles).find(([, formats]) => formats[depth] !== undefined);
  return implied === undefined
    ? { profile: null, pixelFormat: ownDefaults[codec] ?? defaultFormat }
    : { profile: implied[0], pixelFormat: formatOf(implied[1], depth) };
}

/** Validation errors of a profile and a bit depth. `path` is the path of the output. */
export function formatErrors(
  codec: VideoCodec,
  { profile, depth }: FormatRequest,
  path: string,
): readonly string[] {
  const profiles = profilesByCodec[codec];
  if (profiles === undefined) return [];
  const formats = profile === null ? undefined : ownFormats(profiles, profile);
  if (profile !== null && formats === undefined)
    return [`${path}.video_codec_profile must be one of ${Object.keys(profiles).join(', ')} for ${codec}`];
  if (depth === undefined) return [];
  if (formats !== undefined && formats[depth] === undefined)
    return [
      `${path}.video_bit_depth must agree with video_codec_profile: ${profile} has ${depthsOf([formats])} bits`,
    ];
  const all = Object.values(profiles);
  return all.some((one) => one[depth] !== undefined)
    ? []
    : [`${path}.video_bit_depth must be ${depthsOf(all)} for ${codec}`];
}

/** Whether a profile has 10 bits or more. */
export function hasTenBits(codec: VideoCodec, profile: string): boolean {
  const formats = ownFormats(profilesByCodec[codec] ?? {}, profile) ?? {};
  return Object.keys(formats).some((depth) => Number(depth) >= 10);
}

const deepFormat =
  /(?:p(?:9|1[0246])|gray(?:9|1[0246])|[ab]64|b48|p[0-4]1[026]|x2(?:rgb|bgr)10|y21[02])(?:le|be)$/;

/** Whether a pixel format has more than 8 bits per sample. */
export function isDeepFormat(pixelFormat: string | null): boolean {
  return deepFormat.test(pixelFormat ?? '');
}

/** Codecs of which most players that know them display 10 bits. */
const deepCodecs: readonly VideoCodec[] = ['hevc', 'av1', 'vp9'];

/**
 * The bits per sample of a video, with `auto` decided: 10 if the input has more than 8. HDR has 10, unless the request
 * or its profile has more. Undefined for the default of the profile.
 */
export function depthFor(
  given: OutputSettings['video_bit_depth'],
  codec: VideoCodec,
  { inputFormat, isHdr }: { readonly inputFormat: string | null; readonly isHdr: boolean },
): BitDepth | undefined {
  if (given !== undefined && given !== 'auto') return given;
  if (isHdr) return 10;
  return given === 'auto' && isDeepFormat(inputFormat) && deepCodecs.includes(codec) ? 10 : undefined;
}

/** Whether an encoder supports the pixel format of a request. SVT-AV1 has 4:2:0 only. */
export function encodesFormat(encoder: VideoEncoderName, codec: VideoCodec, request: FormatRequest): boolean {
  const { pixelFormat } = chooseFormat(codec, request);
  return encoder !== 'libsvtav1' || ['yuv420p', 'yuv420p10le'].includes(pixelFormat);
}

function ownFormats(
  profiles: Readonly<Record<string, FormatsByDepth>>,
  profile: string,
): FormatsByDepth | undefined {
  return Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
}

function formatOf(formats: FormatsByDepth, depth: BitDepth | undefined): string {
  const [lowest = defaultFormat] = Object.values(formats);
  return (depth === undefined ? undefined : formats[depth]) ?? lowest;
}

function depthsOf(all: readonly FormatsByDepth[]): string {
  return [...new Set(all.flatMap((formats) => Object.keys(formats)))].join(' or ');
}
