import type { Analysis, Orientation, VideoFacts } from '../../jobs/media.js';
import type { ColourConversion, FieldOrderDecision, Fit, VideoDecision } from '../decide/decisions.js';
import type { ThumbnailSchedule } from '../decide/thumbnails.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument, inputOptions } from '../safe-input.js';
import { deinterlaceFilter, fitFilters } from './filters.js';
import { orientationFilters, toneMapFilters, toRgb } from './frame-filters.js';
import { decoderArgs, secondsArgument } from './input.js';
import { shapeFilters } from './shapes.js';

/** Maximum images of one run of ffmpeg that are taken one by one: when seeking, each has its own decoder. */
const maxImagesPerRun = 10;
/** Tolerance for a displayed frame: times in files are rounded, and so are those of the thumbnails. */
const toleranceSeconds = 0.0005;

/** The source of the images: a stream of a file, and the prefix of the image names, without folders. */
interface ThumbnailSource {
  readonly path: string;
  /** See `MediaFacts`. */
  readonly analysis: Analysis | undefined;
  readonly streamIndex: number;
  /** The first timestamp of the file. */
  readonly startSeconds: number;
  /** Whether its frame rate is known. */
  readonly hasFrameRate: boolean;
  readonly codec: string;
  /** Its colours. */
  readonly colours: Pick<ColourConversion, 'from' | 'isFullRange'>;
  /** How its colours become those of standard range, if it is HDR. */
  readonly mapping: Pick<VideoDecision, 'toneMapFrom' | 'conversion' | 'colours'>;
  /** How its frames are stored. */
  readonly orientation: Orientation;
  /** The field order of interlaced frames; null for no deinterlacing. */
  readonly deinterlace: FieldOrderDecision | null;
  /** The frame whose shape others get; null if all have one. */
  readonly firstFrame: VideoFacts | null;
  /** The size of the images; null for that of the video. */
  readonly fit: Fit | null;
  readonly format: 'png' | 'jpg';
  readonly name: string;
}

/** File name of an image in the working directory of the runs. */
export function imageName(name: string, image: number, format: ThumbnailSource['format']): string {
  return `${name}-${String(image).padStart(4, '0')}.${format}`;
}

/** The arguments of the runs of ffmpeg that take the images. Files are named by `imageName`. */
export function thumbnailArgs(
  { single, usesSeeks, prerollSeconds, sequential }: ThumbnailSchedule,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly (readonly string[])[] {
  const chunks = Array.from({ length: Math.ceil(single.length / maxImagesPerRun) }, (_, index) =>
    single.slice(index * maxImagesPerRun, (index + 1) * maxImagesPerRun),
  );
  return [
    ...(sequential === null ? [] : [sequentialArgs(sequential, source, capabilities)]),
    ...chunks.map((chunk) =>
      usesSeeks
        ? seekArgs(chunk, prerollSeconds, source, capabilities)
        : readArgs(chunk, source, capabilities),
    ),
  ];
}

function sequentialArgs(
  { count, firstSeconds, everySeconds }: NonNullable<ThumbnailSchedule['sequential']>,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly string[] {
  return [
    ...['-y', ...keepTimestamps],
    ...inputArgs(source),
    ...imageArgs(0, source, displayedAt(source.startSeconds + firstSeconds, everySeconds), capabilities),
    ...['-frames:v', String(count), '-start_number', '0', `${source.name}-%04d.${source.format}`],
  ];
}

function seekArgs(
  chunk: ThumbnailSchedule['single'],
  prerollSeconds: number,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly string[] {
  return [
    ...['-y', ...keepTimestamps],
    // The displayed frame starts before the requested time, so ffmpeg must not drop it as too early.
    ...chunk.flatMap(({ seconds }) =>
      inputArgs(source, ['-noaccurate_seek', '-ss', secondsArgument(Math.max(0, seconds - prerollSeconds))]),
    ),
    ...chunk.flatMap((image, input) => singleImageArgs(image, input, source, capabilities)),
  ];
}

/** Reads the file once, from its start, for all images of the chunk. */
function readArgs(
  chunk: ThumbnailSchedule['single'],
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly string[] {
  return [
    ...['-y', ...keepTimestamps],
    ...inputArgs(source),
    ...chunk.flatMap((image) => singleImageArgs(image, 0, source, capabilities)),
  ];
}

function singleImageArgs(
  { imageIndex, seconds }: ThumbnailSchedule['single'][number],
  input: number,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly string[] {
  return [
    ...imageArgs(input, source, displayedAt(source.startSeconds + seconds, 1), capabilities),
    ...['-frames:v', '1', '-update', '1', imageName(source.name, imageIndex, source.format)],
  ];
}

function inputArgs(
  { codec, path, analysis, firstFrame }: ThumbnailSource,
  options: readonly string[] = [],
): readonly string[] {
  return [
    ...inputOptions(analysis),
    ...decoderArgs(codec),
    ...(firstFrame === null ? [] : ['-reinit_filter:v', '0']),
    ...['-noautorotate', ...options, '-i', fileArgument(path)],
  ];
}

// Without this, times are shifted to start at the seek position and rounded to the time base of the file, which in Ogg
// is one frame.
const keepTimestamps = ['-copyts'] as const;

// Files often store too short a duration for the last frame, or none (FLV). Without a frame rate, all copies would have
// one time.
const extendLastFrame = 'tpad=stop=-1:stop_mode=clone';

/** The arguments of the encoder of images. */
export const imageEncoderArgs = {
  png: ['-c:v', 'png', '-pix_fmt', 'rgb24'],
  jpg: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'],
} as const satisfies Record<ThumbnailSource['format'], readonly string[]>;

function imageArgs(
  input: number,
  source: ThumbnailSource,
  selection: string,
  capabilities: Capabilities,
): readonly string[] {
  const { streamIndex, startSeconds, hasFrameRate, colours, mapping, orientation, deinterlace, fit, format } =
    source;
  const scaleTo = fit?.scaleTo ?? null;
  const isMapped = mapping.toneMapFrom !== null;
  const filters = [
    // Without `keepTimestamps`, times of the first frames would be 0.
    ...shapeFilters({ ...source, staysInterlaced: false }, -startSeconds),
    ...(hasFrameRate ? [extendLastFrame] : []),
    // Fields are taken from neighbouring frames, so this comes before the selection.
    ...(deinterlace === null
      ? []
      : [deinterlaceFilter({ isFramePerField: false }, deinterlace, capabilities)]),
    selection,
    ...orientationFilters(orientation),
    ...toneMapFilters({ ...mapping, scaleTo: null }),
    ...toRgb(
      isMapped ? { from: 'bt709', isFullRange: false } : colours,
      scaleTo === null ? '' : `:w=${scaleTo.width}:h=${scaleTo.height}`,
    ),
    ...(fit === null ? [] : fitFilters(fit)),
    ...(fit === null ? [] : ['setsar=1']),
  ];
  return [
    ...['-map', `${input}:${streamIndex}`, '-vf', filters.join(',')],
    ...[capabilities.hasFpsMode ? '-fps_mode' : '-vsync', 'passthrough'],
    ...['-map_metadata', '-1', ...imageEncoderArgs[format], '-f', 'image2'],
  ];
}

/**
 * Selects the frames displayed at a time and at each interval after it: timestamps are rescaled to one tick per
 * interval, and the filter fps, rounding up, keeps the last frame that started before each tick. (`select` keeps the
 * first frame after the tick, which may be late or, at the end, missing.)
 */
function displayedAt(firstSeconds: number, everySeconds: number): string {
  const first = Math.round((firstSeconds + toleranceSeconds) * 1e6);
  return `settb=1/1000000,setpts=(PTS-${first})/${secondsArgument(everySeconds)},fps=fps=1:round=up:start_time=0`;
}
