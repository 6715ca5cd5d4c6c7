import { demandedHdr } from '../../../src/shared/settings/hdr.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { HdrFacts, LightLevels, MasteringDisplay, VideoFacts } from '../../jobs/media.js';
import { type VideoEncoderName, videoEncoders } from '../encoders.js';
import type { VideoCodec } from '../formats.js';
import type { Capabilities, DeclaredHdr } from '../plan-types.js';
import { canToneMap, isHighRange } from './colours.js';
import type { Correction } from './decisions.js';
import { hasTenBits, isDeepFormat } from './pixel-formats.js';

/** The codecs that keep HDR. */
const hdrCodecs: readonly VideoCodec[] = ['hevc', 'av1'];

/** The encoders that write the mastering display and the light levels. */
const writesHdrData: ReadonlySet<VideoEncoderName> = new Set(['libx265', 'libsvtav1']);

/** Whether an encoder is preferred for an output, because it writes the HDR metadata that the output may have. */
export function isPreferredForHdr(encoder: VideoEncoderName, settings: OutputSettings): boolean {
  return (demandedHdr(settings) !== null || settings.hdr === 'keep') && writesHdrData.has(encoder);
}

/** Validation errors of the settings of HDR that need no input. `path` is the path of the output. */
export function hdrErrors(
  settings: OutputSettings,
  { codec, profile }: { readonly codec: VideoCodec; readonly profile: string | null },
  { encoders }: Pick<Capabilities, 'encoders'>,
  path: string,
): readonly string[] {
  const name = demandedHdr(settings);
  const depth = settings.video_bit_depth;
  const isTooShallow = depth === 8 || (profile !== null && !hasTenBits(codec, profile));
  if (name === null)
    return settings.hdr === 'keep' && hdrCodecs.includes(codec) && isTooShallow
      ? [`${path}.hdr keep needs 10 bits: leave out ${depth === 8 ? 'video_bit_depth' : 'the profile'}`]
      : [];
  const implied =
    codec === 'av1' || depth === 10 || depth === 'auto' || profile !== null || settings.hdr === 'keep';
  if (!hdrCodecs.includes(codec) || isTooShallow || !implied)
    return [
      `${path}.${name} needs video_codec hevc and video_codec_profile main10, or video_codec av1 with 10 bits`,
    ];
  const drawn =
    settings.watermark !== undefined ? 'watermark' : settings.subtitles === 'burn' ? 'subtitles burn' : null;
  return [
    ...(drawn === null ? [] : [`${path}.${name} must not be given with ${drawn}, which has standard range`]),
    ...(codec === 'av1' && settings.hdr_format === 'hdr10' && !encoders.has('libsvtav1')
      ? [`${path}.hdr_format hdr10 cannot be encoded for av1 by this ffmpeg: it has no encoder libsvtav1`]
      : []),
  ];
}

/** What becomes of the HDR of an input. */
interface HdrDecision {
  /** Null if the output has standard range. */
  readonly kept: DeclaredHdr | null;
  readonly corrections: readonly Correction[];
  readonly warnings: readonly string[];
}

const nothing: HdrDecision = { kept: null, corrections: [], warnings: [] };

/** The transfer of PQ and HLG, as ffprobe and the options of ffmpeg name it. */
const transfers = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const;

/**
 * Decides whether an output keeps the HDR of its input, and what it declares about it. `isDrawnOn`: watermarks or
 * captions are drawn into the video; they have standard range, and their white would be as bright as the display
 * allows.
 */
export function decideHdr(
  settings: OutputSettings,
  video: VideoFacts,
  encoder: VideoEncoderName,
  {
    isDrawnOn,
    capabilities,
  }: { readonly isDrawnOn: boolean; readonly capabilities: Pick<Capabilities, 'filters'> },
): HdrDecision {
  const demanded = demandedHdr(settings);
  if (!isHighRange(video) && !(settings.hdr_format !== undefined && mayBeHdr(video)))
    return demanded === null
      ? nothing
      : { ...nothing, warnings: [`${demanded} had no effect, because the input is not HDR.`] };
  const { codec } = videoEncoders[encoder];
  const toneMapped = (reason: string): HdrDecision => ({
    ...nothing,
    corrections: [{ name: 'hdr', value: 'tone-map', reason }],
  });
  if (demanded === null && settings.hdr !== 'keep')
    return settings.hdr === undefined && canToneMap(capabilities)
      ? { ...nothing, warnings: [toneMapWarning] }
      : nothing;
  if (!hdrCodecs.includes(codec)) return toneMapped(`${codec} does not keep HDR, hevc and av1 do`);
  if (isDrawnOn) return toneMapped('watermarks and drawn captions have standard range');
  return keepHdr(settings, video, encoder);
}

const toneMapWarning =
  'The HDR of the input was converted to standard range. With hdr keep, hevc and av1 keep it.';

/** Whether a video without a declared transfer may be HDR: the request then says what it is. */
function mayBeHdr({ colourTransfer, pixelFormat }: VideoFacts): boolean {
  return colourTransfer === undefined && isDeepFormat(pixelFormat);
}

function keepHdr(settings: OutputSettings, video: VideoFacts, encoder: VideoEncoderName): HdrDecision {
  const { hdr_format: wanted } = settings;
  const found = video.colourTransfer === transfers.hlg ? 'hlg' : isHighRange(video) ? 'pq' : null;
  const transfer = wanted === undefined ? found : wanted === 'hlg' ? 'hlg' : 'pq';
  const isOther = found !== null && transfer !== found;
  const ofInput = wanted === 'pq' ? noData : validHdr(video.hdr ?? {});
  const data = {
    mastering: masteringOf(settings) ?? ofInput.mastering,
    lightLevels: lightLevelsOf(settings) ?? ofInput.lightLevels,
  };
  const isWritten = writesHdrData.has(encoder);
  const hasData = data.mastering !== null || data.lightLevels !== null;
  return {
    kept: {
      transfer: transfers[found ?? transfer ?? 'pq'],
      ...(isWritten ? data : { mastering: null, lightLevels: null }),
    },
    corrections: isOther
      ? [
          {
            name: 'hdr_format',
            value: found === 'pq' && hasData ? 'hdr10' : found,
            reason: `the input is ${found.toUpperCase()}`,
          },
        ]
      : [],
    warnings: [
      ...ofInput.warnings,
      ...(hasData && !isWritten
        ? [`The mastering display and the light levels were left out: ${encoder} does not write them.`]
        : []),
      ...lostWarnings(video),
    ],
  };
}

const noData = { mastering: null, lightLevels: null, warnings: [] } as const;

/** What only a copy keeps of HDR. */
function lostWarnings({ hdr, dolbyVision }: VideoFacts): readonly string[] {
  const names = [
    ...(hdr?.hasHdr10Plus === true ? ['HDR10+'] : []),
    ...(dolbyVision === undefined ? [] : ['Dolby Vision']),
  ];
  return names.map(
    (name) => `The ${name} metadata of the input was left out: only a copy of the video keeps it.`,
  );
}

function masteringOf({ master_display: given }: OutputSettings): MasteringDisplay | null {
  if (given === undefined) return null;
  const { white_point: whitePoint, ...others } = given;
  return { ...others, whitePoint };
}

function lightLevelsOf(settings: OutputSettings): LightLevels | null {
  const { max_content_light_level: maxContent, max_frame_average_light_level: maxAverage } = settings;
  return maxContent === undefined || maxAverage === undefined ? null : { maxContent, maxAverage };
}

/** The ranges of Recommendation H.265, D.3.28. Outside of them a value is unknown. */
const ranges = { x: [0.0001, 0.74], y: [0.0001, 0.84], min: [0, 5], max: [5, 10_000] } as const;
/** The highest light level that a stream stores. */
const maxLightLevel = 65_535;

/** The metadata of an input without what is out of range, which a warning names. */
function validHdr({ mastering, lightLevels }: HdrFacts): {
  readonly mastering: MasteringDisplay | null;
  readonly lightLevels: LightLevels | null;
  readonly warnings: readonly string[];
} {
  const values = Object.entries(mastering ?? {}).flatMap(([part, pair]) =>
    Object.entries(pair as Readonly<Record<string, number>>).map(([axis, value]) => {
      const [min, max] = ranges[axis as keyof typeof ranges];
      return { name: `${part}.${axis}`, value, isValid: value >= min && value <= max };
    }),
  );
  const wrong = values.filter(({ isValid }) => !isValid);
  const tooBright = Object.entries(lightLevels ?? {}).filter(([, value]) => value > maxLightLevel);
  const outOfRange = (what: string, found: readonly string[]) =>
    found.length === 0 ? [] : [`The ${what} of the input was left out: ${found.join(', ')} is out of range.`];
  return {
    mastering: wrong.length > 0 ? null : (mastering ?? null),
    lightLevels: tooBright.length > 0 ? null : (lightLevels ?? null),
    warnings: [
      ...outOfRange(
        'mastering display',
        wrong.map(({ name, value }) => `${name} ${Number(value.toPrecision(6))}`),
      ),
      ...outOfRange(
        'light level',
        tooBright.map(([name, value]) => `${name} ${value}`),
      ),
    ],
  };
}

/** Whether only Dolby Vision decoders can display a video: profile 5, and 10 without a compatible base layer. */
export function isDolbyVisionOnly({ dolbyVision }: VideoFacts): boolean {
  if (dolbyVision === undefined) return false;
  const { profile, compatibility, hasOwnTag } = dolbyVision;
  if (profile === undefined) return hasOwnTag === true;
  return profile === 5 || (profile === 10 && compatibility === 0);
}

/** Why a video that only Dolby Vision decoders can display is not encoded. */
export const dolbyVisionOnlyMessage =
  'The video is Dolby Vision profile 5: only Dolby Vision players show its colours, and ffmpeg would make them green and purple. ' +
  'It can be copied, but not encoded. Export it as HDR10, HLG or SDR, or as Dolby Vision profile 8.';
