import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { measure, shippedBuilds } from './shipped.js';

const folder = tempFolder();
const launch = promisify(execFile);

async function ffmpeg(...args: readonly string[]): Promise<void> {
  const { ffmpeg } = await testFfmpeg();
  await launch(ffmpeg.path, ['-v', 'error', '-y', ...args]);
}

/** A white second of a size and a shape of pixels, then another one. */
async function twoShapes(name: string, codecs: string, first: string, second: string): Promise<string> {
  const [codec = '', range] = codecs.split(' ');
  const [container = '', suffix] = name.split('.').toReversed();
  const isMatroska = container === 'mkv';
  const muxer = { ts: 'mpegts', mpg: 'vob', h264: 'h264', mkv: 'matroska' }[container] ?? container;
  const parts: string[] = [];
  for (const [at, shape] of [first, second].entries()) {
    const [size = '', pixel = '1'] = shape.split(' ');
    const evenSize = size.replace(/[13579](?=x|$)/g, (digit) => String(Number(digit) + 1));
    const path = join(folder, `${at}-${suffix}.${container}`);
    // Sources of odd sizes are one pixel smaller.
    const source = `color=white:s=${evenSize}:r=25:d=1,format=yuv444p,crop=${size.replace('x', ':')}:exact=1,setsar=${pixel}`;
    // Program streams begin at 0.5 s.
    const times = isMatroska ? [] : ['-output_ts_offset', String(container === 'mpg' ? at * 2 : at)];
    await ffmpeg(
      '-f',
      'lavfi',
      '-i',
      source,
      '-c:v',
      codec,
      '-pix_fmt',
      'yuv420p',
      ...(range === undefined ? [] : ['-color_range', range]),
      ...times,
      '-f',
      muxer,
      path,
    );
    parts.push(path);
  }
  const path = join(folder, name);
  if (isMatroska) {
    const list = join(folder, `${name}.txt`);
    await writeFile(list, parts.map((part) => `file '${part}'\n`).join(''));
    await ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', path);
  } else {
    await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  }
  return path;
}

/** The luma of the frames of a file or a playlist. */
async function framesOf(path: string, pixels: number): Promise<readonly Uint8Array[]> {
  const { out } = await measure('-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'gray', '-');
  return Array.from({ length: out.length / pixels }, (_, at) => out.subarray(at * pixels, (at + 1) * pixels));
}

/** How many of the rows and columns of one of the last frames are dark, to the nearest ten. */
function barsOf(frames: readonly Uint8Array[], width: number, height: number): string {
  const last = frames.at(-3) ?? new Uint8Array();
  const isDark = (row: number, column: number) => (last[row * width + column] ?? 255) < 60;
  const rows = Array.from({ length: height }, (_, row) => row).filter((row) => isDark(row, width >> 1));
  const columns = Array.from({ length: width }, (_, column) => column).filter((one) =>
    isDark(height >> 1, one),
  );
  // Scaling blends the rows at the edges.
  const rounded = (count: number) => Math.round(count / 10) * 10;
  return `${rounded(rows.length)} rows, ${rounded(columns.length)} columns`;
}

const inputs = [
  [
    'size.ts',
    'mpeg2video',
    '160x120',
    '320x180',
    '160x120',
    '30 rows, 0 columns',
    '160x120 (4:3) to 320x180 (16:9)',
  ],
  [
    'pixels.mpg',
    'mpeg2video',
    '320x256 16/15',
    '320x256 64/45',
    '342x256',
    '60 rows, 0 columns',
    '320x256 (4:3) to 320x256 (16:9)',
  ],
  [
    'turned.h264',
    'libx264',
    '160x120',
    '120x160',
    '160x120',
    '0 rows, 70 columns',
    '160x120 (4:3) to 120x160 (3:4)',
  ],
  [
    'wide.mkv',
    'mpeg2video',
    '160x120',
    '320x120',
    '160x120',
    '60 rows, 0 columns',
    '160x120 (4:3) to 320x120 (2.67:1)',
  ],
  [
    'odd.mkv',
    'libvpx',
    '161x121',
    '321x121',
    '160x120',
    '60 rows, 0 columns',
    '161x121 (4:3) to 321x121 (2.65:1)',
  ],
  [
    'distorted.mkv',
    'libvpx-vp9 pc',
    '161x121',
    '321x121',
    '160x120',
    '0 rows, 0 columns',
    '161x121 (4:3) to 321x121 (2.65:1)',
  ],
] as const;

for (const build of await shippedBuilds()) {
  for (const [name, codec, first, second, size, bars, change] of inputs) {
    test(`${build.name}: video that changes from ${change} in ${name} keeps its shape`, async () => {
      const output = join(tempFolder(), 'out.mp4');
      const args = ['run', await twoShapes(name, codec, first, second), '-o', output, '--progress', 'none'];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      const [width = 0, height = 0] = size.split('x').map(Number);
      assert.is(barsOf(await framesOf(output, width * height), width, height), bars);
      assert.match(stderr, `The video changes from ${change} at 1.`);
      assert.match(
        stderr,
        name.startsWith('distorted') ? '; it was stretched to the' : '; it was fitted into the',
      );
    });
  }

  test(`${build.name}: a watermark, a frame rate and renditions survive a change of the shape`, async () => {
    const out = tempFolder();
    const mark = join(out, 'mark.png');
    await ffmpeg('-f', 'lavfi', '-i', 'color=black:s=20x20', '-frames:v', '1', mark);
    const input = await twoShapes('marked.ts', 'mpeg2video', '160x120', '160x60');
    const words = [
      '--ladder',
      '120,60',
      '--frame-rate',
      '10',
      '--watermark',
      `url=${mark},x=20,y=50,width=20`,
      '--progress',
      'none',
    ];
    const { code, stderr } = await runCli(['run', input, '--hls', `${out}/hls/`, ...words], {
      env: build.env,
    });
    assert.is(code, 0, stderr);
    const frames = await framesOf(join(out, 'hls', '120p', '120p.m3u8'), 160 * 120);
    assert.ok(Math.abs(frames.length - 20) <= 1, String(frames.length));
    assert.ok((frames[3]?.[60 * 160 + 30] ?? 255) < 60);
    // The columns are those of the watermark.
    assert.is(barsOf(frames, 160, 120), '60 rows, 20 columns');
  });
}

test.run();
