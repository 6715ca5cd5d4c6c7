import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { buildPaths, difference, lumaOf, type ShippedEncoder, startShipped } from './shipped-run.js';

/*
 * All files store the same video and differ in the display matrix of the track header. The expected frames are computed here from the
 * stored luma by the definition of the matrix: a stored point (x, y) is shown at (a x + c y, b x + d y).
 */

const [width, height] = [96, 64];
const folder = tempFolder();
const stored = join(folder, 'stored.mp4');
const source = `testsrc2=size=${width}x${height}:rate=10:duration=0.6`;
await makeMedia(stored, ['-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-qp', '4', '-pix_fmt', 'yuv420p']);

/** What a display matrix does, and its values a, b, c, d. */
const orientations = [
  ['unchanged', [1, 0, 0, 1]],
  ['mirrored left and right', [-1, 0, 0, 1]],
  ['rotated by 180 degrees', [-1, 0, 0, -1]],
  ['mirrored top and bottom', [1, 0, 0, -1]],
  ['mirrored and rotated by 270 degrees', [0, 1, 1, 0]],
  ['rotated by 90 degrees', [0, 1, -1, 0]],
  ['mirrored and rotated by 90 degrees', [0, -1, -1, 0]],
  ['rotated by 270 degrees', [0, -1, 1, 0]],
] as const;
type Matrix = (typeof orientations)[number][1];

async function withMatrix([a, b, c, d]: Matrix, name: string): Promise<string> {
  const path = join(folder, name);
  const bytes = await readFile(stored);
  // The matrix starts 44 bytes after the name of the box: nine numbers of 32 bits.
  const matrix = bytes.indexOf('tkhd') + 44;
  const numbers = [...[a, b, 0, c, d, 0, 0, 0].map((number) => number * 0x10000), 0x40000000];
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, matrix + index * 4);
  await writeFile(path, bytes);
  return path;
}

/** The luma of a frame as it must be displayed. */
function shown(luma: Uint8Array, [a, b, c, d]: Matrix): Uint8Array {
  const isOnItsSide = a === 0;
  const [wide, high] = isOnItsSide ? [height, width] : [width, height];
  // Moves points left of or above the origin back into the frame.
  const right = a + c < 0 ? wide - 1 : 0;
  const down = b + d < 0 ? high - 1 : 0;
  const frame = new Uint8Array(luma.length);
  for (const [at, value] of luma.entries()) {
    const [x, y] = [at % width, Math.floor(at / width)];
    frame[(b * x + d * y + down) * wide + a * x + c * y + right] = value;
  }
  return frame;
}

const pixels = width * height;
const lying = await lumaOf(stored, pixels);

async function isShown(path: string, matrix: Matrix, frame: number): Promise<void> {
  const luma = await lumaOf(path, pixels);
  const off = difference(
    luma[path.endsWith('.png') ? 0 : frame],
    shown(lying[frame] ?? new Uint8Array(), matrix),
  );
  assert.ok(off < 3, `${path} is off by ${off}`);
}

for (const [build, ffmpeg] of await buildPaths()) {
  const test = suite<{ encoder: ShippedEncoder }>(`mirrors, ${build}`);
  test.before(async (context) => {
    context.encoder = await startShipped(ffmpeg);
  });
  test.after(({ encoder }) => encoder.end());

  for (const [index, [what, matrix]] of orientations.entries()) {
    test(`a video that is ${what} by its display matrix is encoded as displayed, and so is its thumbnail`, async ({
      encoder,
    }) => {
      const input = await withMatrix(matrix, `${index}.mp4`);
      const { path, job } = await encoder.encoded(input, { quality: 5, thumbnails: { number: 1 } });
      assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
      await isShown(path, matrix, 3);
      await isShown(path.replace('.mp4', '_0000.png'), matrix, 3);
    });
  }

  for (const [rotate, target] of [
    [0, orientations[0][1]],
    [90, orientations[5][1]],
  ] as const) {
    test(`rotate ${rotate} of a mirrored video replaces its display matrix`, async ({ encoder }) => {
      const input = await withMatrix(orientations[1][1], 'mirrored.mp4');
      const { path } = await encoder.encoded(input, { quality: 5, rotate });
      await isShown(path, target, 3);
    });
  }

  test.run();
}
