import type { ColourConversion } from '../decide/decisions.js';
import type { ThumbnailSchedule } from '../decide/thumbnails.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument, safeInputOptions } from '../safe-input.js';
import { toRgb } from './frame-filters.js';
import { decoderArgs, secondsArgument } from './input.js';

/** Maximum input files of one run of ffmpeg: each has its own decoder. */
const maxInputs = 10;
/** Tolerance for a displayed frame: times in files are rounded, and so are those of the thumbnails. */
const toleranceSeconds = 0.0005;

/** The source of the images: a stream of a file, and the prefix of the image names, without folders. */
export interface ThumbnailSource {
  readonly path: string;
  readonly streamIndex: number;
  /** The first timestamp of the file. */
  readonly startSeconds: number;
  /** Whether its frame rate is known. */
  readonly hasFrameRate: boolean;
  readonly codec: string;
  /** Its colours. */
  readonly colours: Pick<ColourConversion, 'from' | 'isFullRange'>;
  readonly name: string;
}

/** File name of an image in the working directory of the runs. */
export function imageName(name: string, image: number): string {
  return `${name}-${String(image).padStart(4, '0')}.png`;
}

/** The arguments of the runs of ffmpeg that take the images. Files are named by `imageName`. */
export function thumbnailArgs(
  { seeks, prerollSeconds, sequential }: ThumbnailSchedule,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly (readonly string[])[] {
  const chunks = Array.from({ length: Math.ceil(seeks.length / maxInputs) }, (_, index) =>
    seeks.slice(index * maxInputs, (index + 1) * maxInputs),
  );
  return [
    ...(sequential === null ? [] : [sequentialArgs(sequential, source, capabilities)]),
    ...chunks.map((chunk) => seekArgs(chunk, prerollSeconds, source, capabilities)),
  ];
}

function sequentialArgs(
  { count, firstSeconds, everySeconds }: NonNullable<ThumbnailSchedule['sequential']>,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly string[] {
  return [
    ...['-y', ...keepTimestamps],
    ...safeInputOptions,
    ...decoderArgs(source.codec),
    ...['-noautorotate', '-i', fileArgument(source.path)],
    ...imageArgs(0, source, displayedAt(source.startSeconds + firstSeconds, everySeconds), capabilities),
    ...['-frames:v', String(count), '-start_number', '0', `${source.name}-%04d.png`],
  ];
}

function seekArgs(
  chunk: ThumbnailSchedule['seeks'],
  prerollSeconds: number,
  source: ThumbnailSource,
  capabilities: Capabilities,
): readonly string[] {
  return [
    ...['-y', ...keepTimestamps],
    // The displayed frame starts before the requested time, so ffmpeg must not drop it as too early.
    ...chunk.flatMap(({ seconds }) => [
      ...safeInputOptions,
      ...decoderArgs(source.codec),
      ...['-noautorotate', '-noaccurate_seek', '-ss', secondsArgument(Math.max(0, seconds - prerollSeconds))],
      ...['-i', fileArgument(source.path)],
    ]),
    ...chunk.flatMap(({ imageIndex: image, seconds }, input) => [
      ...imageArgs(input, source, displayedAt(source.startSeconds + seconds, 1), capabilities),
      ...['-frames:v', '1', '-update', '1', imageName(source.name, image)],
    ]),
  ];
}

// Without this, times are shifted to start at the seek position and rounded to the time base of the file, which in Ogg is one
// frame.
const keepTimestamps = ['-copyts'] as const;

// Files often store too short a duration for the last frame, or none (FLV). Without a frame rate, all copies would have one time.
const extendLastFrame = 'tpad=stop=-1:stop_mode=clone';

function imageArgs(
  input: number,
  { streamIndex, hasFrameRate, colours }: ThumbnailSource,
  selection: string,
  { hasFpsMode }: Capabilities,
): readonly string[] {
  const filters = [...(hasFrameRate ? [extendLastFrame] : []), selection, ...toRgb(colours)];
  return [
    ...['-map', `${input}:${streamIndex}`, '-vf', filters.join(',')],
    ...[hasFpsMode ? '-fps_mode' : '-vsync', 'passthrough'],
    ...['-map_metadata', '-1', '-c:v', 'png', '-pix_fmt', 'rgb24', '-f', 'image2'],
  ];
}

/**
 * Selects the frames displayed at a time and at each interval after it: timestamps are rescaled to one tick per interval, and the
 * filter fps, rounding up, keeps the last frame that started before each tick. (`select` keeps the first frame after the tick,
 * which may be late or, at the end, missing.)
 */
function displayedAt(firstSeconds: number, everySeconds: number): string {
  const first = Math.round((firstSeconds + toleranceSeconds) * 1e6);
  return `settb=1/1000000,setpts=(PTS-${first})/${secondsArgument(everySeconds)},fps=fps=1:round=up:start_time=0`;
}
