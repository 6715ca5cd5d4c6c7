import type { ColourConversion } from '../decide/decisions.js';
import type { ThumbnailSchedule } from '../decide/thumbnails.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument, safeInputOptions } from '../safe-input.js';
import { toRgb } from './frame-filters.js';
import { decoderArgs, secondsArgument } from './input.js';

/** Files that one run of ffmpeg opens at most: each has a decoder of its own. */
const maxInputs = 10;
/** What is shown half a millisecond later is meant too: times in files are rounded, and so are those of the pictures. */
const toleranceSeconds = 0.0005;

/** Pictures to be taken: of which stream of which file, and the beginning of their names, without folders. */
export interface ThumbnailSource {
  readonly path: string;
  readonly streamIndex: number;
  /** When the file begins, by the times in it. */
  readonly startSeconds: number;
  /** Whether its frame rate is known. */
  readonly hasFrameRate: boolean;
  readonly codec: string;
  /** What its colours are. */
  readonly colours: Pick<ColourConversion, 'from' | 'isFullRange'>;
  readonly name: string;
}

/** Name of a picture's file in the folder that the runs are done in. */
export function imageName(name: string, image: number): string {
  return `${name}-${String(image).padStart(4, '0')}.png`;
}

/** The arguments of the runs of ffmpeg that take the pictures, all as `pictureName` tells. */
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
    // The frame that is shown begins before its moment: it must not be thrown away as too early.
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

// Moved so that they begin at the place that was sought, times would be rounded to the clock of the file, which in Ogg ticks in frames.
const keepTimestamps = ['-copyts'] as const;

// Many a file tells too short a time for its last frame, or none (FLV). Without a frame rate its copies would all have one time.
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
 * The frames that are shown at a moment and each so many seconds later: the clock is made to tick once for each of them, and the filter
 * fps, rounding up, keeps the last frame that began before the tick. (A `select` keeps the first one after it, which may come late or,
 * at the end, not at all.)
 */
function displayedAt(firstSeconds: number, everySeconds: number): string {
  const first = Math.round((firstSeconds + toleranceSeconds) * 1e6);
  return `settb=1/1000000,setpts=(PTS-${first})/${secondsArgument(everySeconds)},fps=fps=1:round=up:start_time=0`;
}
