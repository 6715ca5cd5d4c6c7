import type { FrameShape, Ratio, VideoFacts } from '../../jobs/media.js';
import { elementaryStreamFormats } from '../decide/clip.js';
import { oddFormat } from '../decide/decide-video.js';
import type { VideoDecision } from '../decide/decisions.js';
import { safeInputArgs } from '../safe-input.js';
import { scaleFlags } from './frame-filters.js';
import { secondsArgument } from './input.js';

/**
 * What the filters report if a frame has not the shape of the first: as a number, because expressions print nothing
 * else.
 */
export const shapeMark = 1e12;

/**
 * Fits frames whose size or shape of pixels differs from that of the first, as in recordings of television, into it
 * with bars. The filters pass all other frames on as they are. ffmpeg would build the filters of an output again, which
 * changes the shape of such frames, makes those that count begin again, and loses watermarks; the input has the option
 * that prevents that. `readFromSeconds` is where reading starts.
 */
export function shapeFilters(
  {
    firstFrame,
    deinterlace,
    staysInterlaced,
  }: Pick<VideoDecision, 'firstFrame' | 'deinterlace' | 'staysInterlaced'>,
  readFromSeconds: number,
): readonly string[] {
  if (firstFrame === null) return [];
  const { width, height, sampleAspectRatio, pixelFormat, shapes } = firstFrame;
  const shape = `(${width}/${height}*${pixelArgument(sampleAspectRatio)})`;
  const later = shapes?.isOrdered === true ? shapes.frames.slice(1) : [];
  const ratio = later.reduce(
    (before, { seconds, ratio }) =>
      String.raw`if(lt(t\,${secondsArgument(seconds - readFromSeconds)})\,${before}\,${pixelArgument(ratio)})`,
    pixelArgument(sampleAspectRatio),
  );
  const dar = later.length === 0 ? 'dar' : `(iw/ih*${ratio})`;
  const isSame = String.raw`lt(abs(${dar}/${shape}-1)\,0.01)`;
  const even = (side: string) => String.raw`max(2\,2*round(${side}/2))`;
  const fittedWidth = String.raw`if(gt(${dar}\,${shape})\,${width}\,${even(`${width}*${dar}/${shape}`)})`;
  const fittedHeight = String.raw`if(gt(${dar}\,${shape})\,${even(`${height}*${shape}/${dar}`)}\,${height})`;
  const report = String.raw`if(eq(iw\,${width})*eq(ih\,${height})*${isSame}\,0\,0*print(${shapeMark}\,16))`;
  const options = [
    String.raw`w=${report}+if(${isSame}\,${width}\,${fittedWidth})`,
    String.raw`h=if(${isSame}\,${height}\,${fittedHeight})`,
    'eval=frame',
    scaleFlags,
    ...(staysInterlaced || deinterlace !== null ? ['interl=1'] : []),
  ];
  const pad = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:eval=frame`;
  const isEven = width % 2 === 0 && height % 2 === 0;
  const [subsampled, depth = ''] = isEven ? [] : (oddFormat.exec(pixelFormat ?? '') ?? []);
  return [
    `scale=${options.join(':')}`,
    ...(subsampled === undefined
      ? // Otherwise ffmpeg may convert frames with odd sides to the format of the output before `pad`.
        [...(isEven || pixelFormat == null ? [] : [`format=${pixelFormat}`]), pad]
      : // `pad` rounds odd sides down. Each sample of chroma is repeated, and then taken once, so nothing is lost. If the shape of
        // pixels changes between two such filters, the graph stops.
        [
          ...['setsar=1', 'scale=eval=frame:flags=neighbor', `format=yuv444p${depth}`, pad],
          ...['scale=flags=neighbor', `format=${subsampled}`],
        ]),
  ];
}

function pixelArgument({ numerator, denominator }: Ratio): string {
  return numerator > 0 && denominator > 0 ? `${numerator}/${denominator}` : '1';
}

/**
 * The arguments of the run that lists the shapes of all keyframes, where they may change. Without timestamps all frames
 * are counted.
 */
export function shapeListArgs(
  { streamIndex }: Pick<VideoFacts, 'streamIndex'>,
  format: string,
  path: string,
): readonly string[] {
  // Scaled to one size, because ffmpeg 7.0 crashes if it gets frames of another size than the first.
  return [
    ...['-v', 'info', ...(elementaryStreamFormats.has(format) ? [] : ['-skip_frame', 'nokey'])],
    ...['-reinit_filter:v', '0', ...safeInputArgs(path)],
    ...['-map', `0:${streamIndex}`, '-vf', 'showinfo,scale=16:16', '-f', 'null', '-'],
  ];
}

/** The sizes and shapes of pixels in the messages of that run. */
export function readShapes(messages: string): readonly FrameShape[] {
  const frames = messages.matchAll(/ pts_time:(\S+) .* sar:(\d+)\/(\d+) s:(\d+)x(\d+) /g);
  return [...frames].map(([, seconds, ...numbers]) => {
    const [numerator = 0, denominator = 0, width = 0, height = 0] = numbers.map(Number);
    return { seconds: Number(seconds), width, height, ratio: { numerator, denominator } };
  });
}

/**
 * The sentence about the first change of the shape of frames; null if there is none. They were fitted into the first
 * size, or stretched to it.
 */
export function shapeWarning(frames: readonly FrameShape[], by: 'fitted' | 'distorted'): string | null {
  const [first] = frames;
  const changed = frames.find((one) => first !== undefined && isOtherShape(first, one));
  if (first === undefined || changed === undefined) return null;
  const name = (frame: FrameShape) => `${frame.width}x${frame.height} (${shapeName(shapeOf(frame))})`;
  return `The video changes from ${name(first)} to ${name(changed)} at ${changed.seconds.toFixed(1)} s of the input; ${shapeResults[by]}.`;
}

/** What was done about frames with another shape, at the end of a sentence. */
export const shapeResults = {
  fitted: 'it was fitted into the first size',
  distorted: 'it was stretched to the first size, because bars cannot be added to its frames',
} as const;

/** Whether a frame has not the size or the shape of another. */
export function isOtherShape(first: FrameShape, one: FrameShape): boolean {
  return (
    one.width !== first.width ||
    one.height !== first.height ||
    Math.abs(shapeOf(one) / shapeOf(first) - 1) >= 0.01
  );
}

function shapeOf({ width, height, ratio: { numerator, denominator } }: FrameShape): number {
  return ((numerator > 0 && denominator > 0 ? numerator / denominator : 1) * width) / height;
}

/** An aspect ratio, as people call it. */
function shapeName(shape: number): string {
  const known = [
    [4, 3],
    [3, 4],
    [16, 9],
    [9, 16],
    [1, 1],
    [5, 4],
    [3, 2],
    [21, 9],
  ] as const;
  const found = known.find(([width, height]) => Math.abs((shape * height) / width - 1) < 0.02);
  return found === undefined ? `${shape.toFixed(2)}:1` : found.join(':');
}
