import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import type { Distance, OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { decoded, encodedFile, inspectStream } from './video-harness.js';

const folder = tempFolder();
/** Path of a file of these tests. */
export const at = (name: string) => join(folder, name);

/** Encoder arguments for almost no loss. */
export const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '6', '-pix_fmt', 'yuv420p'] as const;

/** A video of one colour. `matrix` is the conversion to luma and chroma; `tags` declare it in the file. */
function field(colour: string, size: string, matrix: 'bt601' | 'bt709', tags: readonly string[] = []) {
  const source = `color=${colour}:size=${size}:rate=25:duration=0.2,format=gbrp`;
  return ['-f', 'lavfi', '-i', source, '-vf', `scale=out_color_matrix=${matrix}`, ...coder, ...tags];
}

const tagged709 = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
const tagged601 = ['-colorspace', 'smpte170m', '-color_primaries', 'smpte170m', '-color_trc', 'smpte170m'];
const image = (source: string, filter: string, ...more: readonly string[]) => [
  ...['-f', 'lavfi', '-i', `${source}:duration=0.04`, '-vf', filter, '-frames:v', '1', ...more],
];
/** Left half white, right half red, in an image of 40x20. */
const halves = "format=gbrp,geq=r=255:g='if(lt(X,20),255,0)':b='if(lt(X,20),255,0)'";
const seen = (alpha: string) => `format=rgba,geq=r=255:g=255:b=255:a='${alpha}'`;

/** The ffmpeg arguments for videos and images, by name. */
export const recipes: Readonly<Record<string, readonly string[]>> = {
  'black.mp4': field('black', '320x240', 'bt601'),
  'white.mp4': field('white', '320x240', 'bt601'),
  'blue.mp4': field('0x2040E0', '320x240', 'bt601'),
  'high.mp4': field('0x808080', '1280x720', 'bt709'),
  'small-709.mp4': field('0x808080', '320x240', 'bt709', tagged709),
  'high-601.mp4': field('0x808080', '1280x720', 'bt601', tagged601),
  'mark.png': image('color=white:size=40x20', 'format=rgba'),
  'mark.gif': image('color=white:size=40x20', 'null'),
  'mark.jpg': image('color=white:size=40x20', 'null', '-q:v', '1'),
  'mark.bmp': image('color=white:size=40x20', 'null'),
  'grey-alpha.png': image('color=white:size=40x20', `${seen('255')},format=ya8`),
  'deep.png': image('color=white:size=40x20', `${seen('255')},format=rgba64be`),
  'palette.png': image('color=white:size=40x20', 'format=pal8'),
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
  'halves.png': image('color=white:size=40x20', halves),
  'halves.jpg': image('color=white:size=40x20', halves, '-q:v', '1', '-pix_fmt', 'yuvj444p'),
  'red.png': image('color=0xE02040:size=80x40', 'format=rgb24'),
  'green.png': image('color=0x20C040:size=80x40', 'format=rgb24'),
  'faint.png': image('color=0xE02040:size=80x40', 'format=rgba,geq=r=224:g=32:b=64:a=128'),
  // White where it is visible, black where it is transparent, as drawing programs write it.
  'round.png': image(
    'color=white:size=160x160',
    "format=rgba,geq=r='255*lt(hypot(X-80,Y-80),60)':g='255*lt(hypot(X-80,Y-80),60)':b='255*lt(hypot(X-80,Y-80),60)':a='255*lt(hypot(X-80,Y-80),60)'",
  ),
  'edge.png': image(
    'color=white:size=200x100',
    "format=gbrp,geq=r='255*lt(X,100)':g='255*lt(X,100)':b='255*lt(X,100)'",
  ),
};

/** The files that exist or are being made. */
export const made = new Map<string, Promise<string>>();
/** Path of a video or an image, made at the first call. */
export function file(name: string): Promise<string> {
  const making = made.get(name) ?? makeMedia(at(name), recipes[name] ?? []).then(() => at(name));
  made.set(name, making);
  return making;
}

/** A distance as parsed from a request. */
export const distance = (
  value: number,
  unit: Distance['unit'] = 'pixels',
  isFromFarEdge = false,
): Distance => ({
  value,
  unit,
  isFromFarEdge,
});
/** Position and size of a watermark. */
export type WatermarkPosition = Omit<NonNullable<OutputSettings['watermark']>[number], 'url'>;

/** Encodes with watermarks, each an image and its position, and returns the path of the output. */
export async function marked(
  ffmpeg: Ffmpeg,
  input: string,
  marks: readonly (readonly [string, WatermarkPosition])[],
  settings: OutputSettings = {},
): Promise<string> {
  const images = await Promise.all(marks.map(async ([name]) => ffmpeg.probeImage(await file(name))));
  const watermark = marks.map(([, position]) => ({ url: 'http://a/b', ...position }));
  return encodedFile(ffmpeg, input, { quality: 5, speed: 5, ...settings, watermark }, images);
}

/** The bounding box of all bright pixels, as left, top, width and height. */
export function brightBox(frame: Uint8Array, width: number, from = 125): readonly number[] {
  const found = [...frame.entries()].filter(([, luma]) => luma > from).map(([index]) => index);
  const xs = found.map((index) => index % width);
  const ys = found.map((index) => Math.floor(index / width));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
}

/** Asserts that numbers are within a tolerance of the expected ones. */
export function near(
  found: readonly number[],
  target: readonly number[],
  within: number,
  what: string,
): void {
  const isNear = found.every((value, index) => Math.abs(value - (target[index] ?? 0)) <= within);
  assert.ok(isNear, `${what}: ${found.join()}, not ${target.join()}`);
}

/** Luma of the last frame of a file. */
export async function lastLuma(
  path: string,
): Promise<{ readonly frame: Uint8Array; readonly width: number }> {
  const { width, height } = await inspectStream(path);
  const frame = (await decoded(path, 'gray', { width, height })).at(-1);
  return { frame: frame ?? new Uint8Array(), width };
}

/** The average red, green and blue of a part of the first frame of a file, as ffmpeg's `crop` names it. */
export async function meanColour(path: string, crop: string): Promise<readonly number[]> {
  const { ffmpeg } = await testFfmpeg();
  const args = ['-v', 'error', '-i', path, '-vf', `crop=${crop},scale=1:1`, '-frames:v', '1'];
  const output = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const { stdout } = await promisify(execFile)(ffmpeg.path, [...args, ...output], { encoding: 'buffer' });
  assert.is(stdout.length, 3, `a frame of ${path}`);
  return [...stdout];
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
