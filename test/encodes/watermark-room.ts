import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import type { Distance, OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { decoded, encodedFile, inspectStream } from './picture-room.js';

const folder = tempFolder();
/** Path of a file of these tests. */
export const at = (name: string) => join(folder, name);

/** Encodes so that next to nothing is lost. */
export const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '6', '-pix_fmt', 'yuv420p'] as const;

/** A film of one colour. `matrix` is how its colours became luma and chroma; `tags` say so in the file. */
function field(colour: string, size: string, matrix: 'bt601' | 'bt709', tags: readonly string[] = []) {
  const source = `color=${colour}:size=${size}:rate=25:duration=0.2,format=gbrp`;
  return ['-f', 'lavfi', '-i', source, '-vf', `scale=out_color_matrix=${matrix}`, ...coder, ...tags];
}

const tagged709 = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
const tagged601 = ['-colorspace', 'smpte170m', '-color_primaries', 'smpte170m', '-color_trc', 'smpte170m'];
const picture = (source: string, filter: string, ...more: readonly string[]) => [
  ...['-f', 'lavfi', '-i', `${source}:duration=0.04`, '-vf', filter, '-frames:v', '1', ...more],
];
/** Left half white, right half red, on a file of 40x20. */
const halves = "format=gbrp,geq=r=255:g='if(lt(X,20),255,0)':b='if(lt(X,20),255,0)'";
const seen = (alpha: string) => `format=rgba,geq=r=255:g=255:b=255:a='${alpha}'`;

/** How films and pictures are made, by name. */
export const recipes: Readonly<Record<string, readonly string[]>> = {
  'black.mp4': field('black', '320x240', 'bt601'),
  'white.mp4': field('white', '320x240', 'bt601'),
  'blue.mp4': field('0x2040E0', '320x240', 'bt601'),
  'high.mp4': field('0x808080', '1280x720', 'bt709'),
  'small-709.mp4': field('0x808080', '320x240', 'bt709', tagged709),
  'high-601.mp4': field('0x808080', '1280x720', 'bt601', tagged601),
  'mark.png': picture('color=white:size=40x20', 'format=rgba'),
  'mark.gif': picture('color=white:size=40x20', 'null'),
  'mark.jpg': picture('color=white:size=40x20', 'null', '-q:v', '1'),
  'mark.bmp': picture('color=white:size=40x20', 'null'),
  'grey-alpha.png': picture('color=white:size=40x20', `${seen('255')},format=ya8`),
  'deep.png': picture('color=white:size=40x20', `${seen('255')},format=rgba64be`),
  'palette.png': picture('color=white:size=40x20', 'format=pal8'),
  'moving.gif': [
    '-f',
    'lavfi',
    '-i',
    'color=white:size=40x20:rate=10:duration=0.1',
    '-f',
    'lavfi',
    '-i',
    'color=black:size=40x20:rate=10:duration=0.4',
    '-filter_complex',
    '[0:v][1:v]concat=n=2',
  ],
  'halves.png': picture('color=white:size=40x20', halves),
  'halves.jpg': picture('color=white:size=40x20', halves, '-q:v', '1', '-pix_fmt', 'yuvj444p'),
  'red.png': picture('color=0xE02040:size=80x40', 'format=rgb24'),
  'green.png': picture('color=0x20C040:size=80x40', 'format=rgb24'),
  'faint.png': picture('color=0xE02040:size=80x40', 'format=rgba,geq=r=224:g=32:b=64:a=128'),
  // White where it is seen, black where it is not, as drawing programs leave it.
  'round.png': picture(
    'color=white:size=160x160',
    "format=rgba,geq=r='255*lt(hypot(X-80,Y-80),60)':g='255*lt(hypot(X-80,Y-80),60)':b='255*lt(hypot(X-80,Y-80),60)':a='255*lt(hypot(X-80,Y-80),60)'",
  ),
  'edge.png': picture(
    'color=white:size=200x100',
    "format=gbrp,geq=r='255*lt(X,100)':g='255*lt(X,100)':b='255*lt(X,100)'",
  ),
};

/** The files that there are, or will be. */
export const made = new Map<string, Promise<string>>();
/** Path of a film or a picture, made at the first call. */
export function file(name: string): Promise<string> {
  const making = made.get(name) ?? makeMedia(at(name), recipes[name] ?? []).then(() => at(name));
  made.set(name, making);
  return making;
}

/** A distance as a request would have given it. */
export const distance = (
  value: number,
  unit: Distance['unit'] = 'pixels',
  isFromFarEdge = false,
): Distance => ({
  value,
  unit,
  isFromFarEdge,
});
/** Where a watermark lies and how large it is. */
export type WatermarkPosition = Omit<NonNullable<OutputSettings['watermark']>[number], 'url'>;

/** Encodes with watermarks, each a file and its place, and gives the path of the output. */
export async function marked(
  ffmpeg: Ffmpeg,
  input: string,
  marks: readonly (readonly [string, WatermarkPosition])[],
  settings: OutputSettings = {},
): Promise<string> {
  const pictures = await Promise.all(marks.map(async ([name]) => ffmpeg.probeImage(await file(name))));
  const watermark = marks.map(([, position]) => ({ url: 'http://a/b', ...position }));
  return encodedFile(ffmpeg, input, { quality: 5, speed: 5, ...settings, watermark }, pictures);
}

/** The smallest box around all pixels of luma that are bright, as left, top, width and height. */
export function brightBox(frame: Uint8Array, width: number, from = 125): readonly number[] {
  const found = [...frame.entries()].filter(([, luma]) => luma > from).map(([index]) => index);
  const xs = found.map((index) => index % width);
  const ys = found.map((index) => Math.floor(index / width));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
}

/** Asserts that numbers are as wanted, give or take. */
export function near(
  found: readonly number[],
  target: readonly number[],
  within: number,
  what: string,
): void {
  const isNear = found.every((value, index) => Math.abs(value - (target[index] ?? 0)) <= within);
  assert.ok(isNear, `${what}: ${found.join()} and not ${target.join()}`);
}

/** Luma of the last frame of a file. */
export async function lastLuma(
  path: string,
): Promise<{ readonly frame: Uint8Array; readonly width: number }> {
  const { width, height } = await inspectStream(path);
  const frame = (await decoded(path, 'gray', { width, height })).at(-1);
  return { frame: frame ?? new Uint8Array(), width };
}

/** Red, green and blue of one pixel of the first frame. */
export async function colourAt(
  path: string,
  x: number,
  y: number,
  rgbBy: 'bt601' | 'bt709',
): Promise<readonly number[]> {
  const size = await inspectStream(path);
  const [frame = new Uint8Array()] = await decoded(path, { rgbBy }, size);
  const start = (y * size.width + x) * 3;
  return [...frame.subarray(start, start + 3)];
}
