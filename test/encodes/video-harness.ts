import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { WatermarkImage } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const run = promisify(execFile);

/** The fields of a file's video stream as ffprobe reports them. */
export interface VideoInfo {
  readonly width: number;
  readonly height: number;
  readonly pix_fmt: string;
  readonly sample_aspect_ratio?: string;
  readonly side_data_list?: readonly unknown[];
  readonly tags?: Readonly<Record<string, string>>;
}

/** Runs ffprobe on the video of a file. */
export async function inspectStream(path: string): Promise<VideoInfo> {
  const args = ['-v', 'error', '-select_streams', 'v:0', '-show_streams', '-of', 'json', `file:${path}`];
  const { stdout } = await run((await testFfmpeg()).ffprobe.path, args);
  const { streams } = JSON.parse(stdout) as { streams: readonly VideoInfo[] };
  const [stream] = streams;
  if (stream === undefined) throw new Error(`${path} has no video`);
  return stream;
}

const known = new Map<string, MediaFacts>();

/** Plans and encodes one output of a file and returns its path. */
export async function encodedFile(
  ffmpeg: Ffmpeg,
  input: string,
  settings: OutputSettings,
  watermarks: readonly WatermarkImage[] = [],
  filename = 'film.mp4',
): Promise<string> {
  const scratch = tempFolder();
  const facts = await (known.get(input) ?? ffmpeg.probe(input));
  known.set(input, facts);
  const toPlan = { id: 7, settings, filename, isTest: false, watermarks };
  const { steps, products, rejections } = plan([toPlan], facts, { input, scratch }, ffmpeg.capabilities);
  const signal = new AbortController().signal;
  for (const { args } of steps) await ffmpeg.run(args, { signal, scratch, onProgress: () => {} });
  const [product] = products;
  if (product === undefined) throw new Error(rejections[0]?.failure.message ?? 'nothing was planned');
  return product.path;
}

/** The decoded frames of a file from the decoder of the first build: luma, or RGB by the given matrix. */
export async function decoded(
  path: string,
  as: 'gray' | { readonly rgbBy: 'bt601' | 'bt709' },
  { width, height }: Pick<VideoInfo, 'width' | 'height'>,
): Promise<readonly Uint8Array[]> {
  const bytesEach = width * height * (as === 'gray' ? 1 : 3);
  const raw = join(tempFolder(), 'raw');
  // Luma as stored: "gray" would stretch it to the full range.
  const careful = 'flags=bicubic+accurate_rnd+full_chroma_int';
  const filter =
    as === 'gray' ? 'extractplanes=y' : `scale=in_color_matrix=${as.rgbBy}:${careful},format=rgb24`;
  const output = ['-vsync', 'passthrough', '-vf', filter, '-f', 'rawvideo', '-y', raw];
  await run((await testFfmpeg()).ffmpeg.path, ['-v', 'error', '-i', `file:${path}`, '-an', ...output]);
  const bytes = await readFile(raw);
  return Array.from({ length: bytes.length / bytesEach }, (_, at) =>
    bytes.subarray(at * bytesEach, (at + 1) * bytesEach),
  );
}

const matrices = {
  90: [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000],
  180: [-0x10000, 0, 0, 0, -0x10000, 0, 0, 0, 0x40000000],
  270: [0, -0x10000, 0, 0x10000, 0, 0, 0, 0, 0x40000000],
} as const;

/** Sets a clockwise rotation in the track header of an MP4 file. */
export async function writeRotation(path: string, degrees: keyof typeof matrices): Promise<void> {
  const bytes = await readFile(path);
  // The matrix starts 44 bytes after the name of the box: nine numbers of 32 bits.
  const matrix = bytes.indexOf('tkhd') + 44;
  for (const [index, value] of matrices[degrees].entries()) bytes.writeInt32BE(value, matrix + index * 4);
  await writeFile(path, bytes);
}

/** A test video: its displayed size in stored pixels, its displayed pixel aspect ratio, and the rotation of the stored frames. */
export interface Subject {
  readonly size: readonly [number, number];
  readonly pixel: readonly [number, number];
  readonly turned: 0 | 90 | 180 | 270;
}

/** The middle of an arm of the cross in the video of `crossFilm`, as a fraction of the width or height. */
export const armAt = (side: number) => (Math.floor(side / 8) * 2 + 4) / side;

const backTurns = {
  0: [],
  90: ['transpose=cclock'],
  180: ['hflip,vflip'],
  270: ['transpose=clock'],
} as const;

/** Makes a grey video of three frames with a white cross left of and above the middle. */
export async function crossFilm(path: string, { size, pixel, turned }: Subject): Promise<void> {
  const [width, height] = size;
  const bar = (x: number, y: number, w: number, h: number) => `drawbox=${x}:${y}:${w}:${h}:white:fill`;
  const isOnSide = turned === 90 || turned === 270;
  const filters = [
    // The source cannot generate odd dimensions.
    `format=yuv444p,crop=${width}:${height}:0:0`,
    bar(Math.floor(width / 8) * 2, 0, 8, height),
    bar(0, Math.floor(height / 8) * 2, width, 8),
    ...backTurns[turned],
    `setsar=${(isOnSide ? pixel.toReversed() : pixel).join('/')}`,
    size.some((side) => side % 2 === 1) ? 'format=yuv444p' : 'format=yuv420p',
  ];
  const source = `color=gray:size=${width + 1}x${height + 1}:rate=25:duration=0.12`;
  const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '6'];
  await makeMedia(path, ['-f', 'lavfi', '-i', source, '-vf', filters.join(','), ...coder]);
  if (turned !== 0) await writeRotation(path, turned);
}

/** Adds an EXIF orientation to a JPEG. */
export function withOrientation(jpeg: Buffer, orientation: number, isLittle = true): Buffer {
  const exif = Buffer.alloc(36);
  exif.writeUInt16BE(0xffe1, 0);
  exif.writeUInt16BE(34, 2);
  exif.write(isLittle ? 'Exif\0\0II*\0' : 'Exif\0\0MM\0*', 4, 'latin1');
  const short = (value: number, at: number) =>
    isLittle ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at);
  long(8, 14);
  short(1, 18);
  short(0x0112, 20);
  short(3, 22);
  long(1, 24);
  short(orientation, 28);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}
