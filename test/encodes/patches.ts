import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { measure } from './shipped.js';

/** An RGB colour, each component 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The colours of the adjacent patches of `patchFilm`. */
export const patches: readonly Rgb[] = [
  [200, 30, 30],
  [30, 180, 40],
  [40, 60, 200],
  [120, 120, 120],
];

const careful = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** Makes a video of five frames with four colour patches. `options` are those of `scale`, then of the encoder. */
export async function patchFilm(
  path: string,
  [width, height]: readonly [number, number],
  options: { readonly scale: string; readonly encoder: readonly string[] },
): Promise<void> {
  const hex = (colour: Rgb) => colour.map((part) => part.toString(16).padStart(2, '0')).join('');
  const sources = patches.map(
    (colour, at) => `color=c=0x${hex(colour)}:s=${width / 4}x${height}:r=25:d=0.2,format=gbrp[p${at}]`,
  );
  const joined = `${patches.map((_, at) => `[p${at}]`).join('')}hstack=4,scale=${options.scale}:${careful}`;
  await ffmpegRaw('-filter_complex', [...sources, joined].join(';'), ...options.encoder, path);
}

/** The colours in the middle of the patches of a file's first frame, converted to RGB with the given matrix and range. */
export async function patchesIn(
  path: string,
  by: { readonly matrix: string; readonly range: 'tv' | 'pc' },
): Promise<readonly Rgb[]> {
  const points = patches.map((_, at) => `[s${at}]crop=8:8:iw*${(2 * at + 1) / 8}-4:ih/2-4[c${at}]`);
  const split = `split=4${patches.map((_, at) => `[s${at}]`).join('')}`;
  const joined = `${patches.map((_, at) => `[c${at}]`).join('')}hstack=4`;
  const rgb = `scale=in_color_matrix=${by.matrix}:in_range=${by.range}:${careful},format=rgb24`;
  const graph = `[0:v]trim=end_frame=1,${rgb},${split};${points.join(';')};${joined}`;
  const { out } = await measure(
    '-i',
    `file:${path}`,
    '-filter_complex',
    graph,
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  );
  return patches.map((_, at) => {
    const pixel = (4 * 32 + at * 8 + 4) * 3;
    return [out[pixel] ?? -1, out[pixel + 1] ?? -1, out[pixel + 2] ?? -1];
  });
}

/** The maximum difference of two lists of colours, in any component. */
export function farthest(found: readonly Rgb[], target: readonly Rgb[]): number {
  return Math.max(
    ...found.flatMap((colour, at) =>
      colour.map((part, index) => Math.abs(part - (target[at]?.[index] ?? -999))),
    ),
  );
}

/** The colour tags of a file: pixel format, range, matrix, transfer, primaries. */
export async function readColourTags(path: string): Promise<string> {
  const { ffprobe } = await testFfmpeg();
  const fields = 'stream=pix_fmt,color_range,color_space,color_transfer,color_primaries';
  const args = ['-v', 'error', '-select_streams', 'v', '-show_entries', fields, '-of', 'csv=p=0'];
  return (await promisify(execFile)(ffprobe.path, [...args, `file:${path}`])).stdout.trim().replace(/,$/, '');
}
