import type { Analysis, Chromaticity, DolbyVisionFacts, HdrFacts, VideoFacts } from '../../jobs/media.js';
import { inputOptions } from '../../plan/safe-input.js';
import type { Binary } from '../ffmpeg-types.js';
import { numberAt, objectsAt, type ProbeObject, parseProbe, textAt } from './probe-fields.js';
import { type ProbeSettings, readFfprobeOutput } from './run-ffprobe.js';

/** How many packets are decoded to find the metadata: a stream may begin before a keyframe. */
const packetCount = 16;

/** A video, the stream that ffprobe printed for it, and how far the file must be read (see `MediaFacts`). */
interface ProbedVideo {
  readonly video: VideoFacts;
  readonly stream: ProbeObject;
  readonly analysis: Analysis | undefined;
}

/**
 * What an HDR video declares about its mastering display and its light. Encoders write it into the frames, and some
 * files have it in the header of the track, which the frames overrule. Null if it declares nothing.
 */
export async function readHdr(
  ffprobe: Binary,
  path: string,
  { video, stream, analysis }: ProbedVideo,
  options: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
): Promise<HdrFacts | null> {
  const args = [
    ...[
      '-v',
      'error',
      '-hide_banner',
      ...inputOptions(analysis),
      '-select_streams',
      String(video.streamIndex),
    ],
    ...['-read_intervals', `%+#${packetCount}`, '-show_frames', '-show_entries', 'frame_side_data'],
    ...['-print_format', 'json'],
  ];
  const output = await readFfprobeOutput(ffprobe, args, path, options);
  const frames = objectsAt(parseProbe(output), 'frames').map((frame) => objectsAt(frame, 'side_data_list'));
  return hdrFacts([...frames.flat(), ...objectsAt(stream, 'side_data_list')]);
}

/** The facts in side data, of which the first of each kind counts. */
function hdrFacts(sideData: readonly ProbeObject[]): HdrFacts | null {
  const [mastering] = sideData.flatMap((data) => masteringOf(data) ?? []);
  const [lightLevels] = sideData.flatMap((data) => lightOf(data) ?? []);
  const hasHdr10Plus = sideData.some((data) => /2094-40/.test(textAt(data, 'side_data_type') ?? ''));
  if (mastering === undefined && lightLevels === undefined && !hasHdr10Plus) return null;
  return {
    ...(mastering === undefined ? {} : { mastering }),
    ...(lightLevels === undefined ? {} : { lightLevels }),
    ...(hasHdr10Plus ? { hasHdr10Plus } : {}),
  };
}

/** The mastering display; null if one of its numbers is missing. */
function masteringOf(data: ProbeObject): HdrFacts['mastering'] | null {
  const [red, green, blue, whitePoint] = ['red', 'green', 'blue', 'white_point'].map((name) =>
    pointAt(data, name),
  );
  const [min, max] = ['min', 'max'].map((name) => fractionAt(data, `${name}_luminance`));
  if (!red || !green || !blue || !whitePoint || min == null || max == null) return null;
  return { red, green, blue, whitePoint, luminance: { min, max } };
}

function pointAt(data: ProbeObject, name: string): Chromaticity | null {
  const [x, y] = [fractionAt(data, `${name}_x`), fractionAt(data, `${name}_y`)];
  return x === null || y === null ? null : { x, y };
}

/**
 * The value of a fraction, `34000/50000`; null if it is none, or out of the range of any video. ffprobe prints values
 * from 2^31 as negative ones.
 */
function fractionAt(data: ProbeObject, key: string): number | null {
  const parts = /^(-?\d+)\/(\d+)$/.exec(textAt(data, key) ?? '');
  const value = Number(parts?.[1]) / Number(parts?.[2]);
  return Number.isFinite(value) && Math.abs(value) <= 1e9 ? value : null;
}

/** The light levels; null if they are missing or 0, which means that they are unknown (CTA-861.3). */
function lightOf(data: ProbeObject): HdrFacts['lightLevels'] | null {
  const [maxContent, maxAverage] = [numberAt(data, 'max_content'), numberAt(data, 'max_average')];
  if (maxContent === null || maxAverage === null || Math.min(maxContent, maxAverage) < 0) return null;
  return maxContent + maxAverage === 0 ? null : { maxContent, maxAverage };
}

/**
 * What a stream declares about Dolby Vision; null for other video. If this ffprobe does not print the configuration
 * record, only the codec tag shows it.
 */
export function readDolbyVision(stream: ProbeObject): DolbyVisionFacts | null {
  const sideData = objectsAt(stream, 'side_data_list');
  const record = sideData.find((data) => numberAt(data, 'dv_profile') !== null) ?? {};
  const [profile, level, compatibility] = [
    numberAt(record, 'dv_profile'),
    numberAt(record, 'dv_level'),
    numberAt(record, 'dv_bl_signal_compatibility_id'),
  ];
  const hasOwnTag = /^dv(?:h1|he)$/.test(textAt(stream, 'codec_tag_string') ?? '');
  if (profile === null && !hasOwnTag) return null;
  return {
    ...(profile === null ? {} : { profile }),
    ...(level === null ? {} : { level }),
    ...(compatibility === null ? {} : { compatibility }),
    ...(hasOwnTag ? { hasOwnTag } : {}),
  };
}
