import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testFfmpeg, testTone } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  folder: string;
}

const width = 320;
const height = 240;
/** The video is blue and the watermarks are red, except one whose right half is transparent. */
const marks = {
  'logo.png': ['-f', 'lavfi', '-i', 'color=red:size=40x20:duration=0.04', '-frames:v', '1'],
  'logo.gif': ['-f', 'lavfi', '-i', 'color=red:size=40x20:duration=0.04', '-frames:v', '1'],
  'logo.jpg': ['-f', 'lavfi', '-i', 'color=red:size=40x20:duration=0.04', '-frames:v', '1', '-q:v', '1'],
  'logo.bmp': ['-f', 'lavfi', '-i', 'color=red:size=40x20:duration=0.04', '-frames:v', '1'],
  'half.png': [
    ...['-f', 'lavfi', '-i', 'color=red:size=40x20:duration=0.04,format=rgba'],
    ...['-vf', "geq=r=255:g=0:b=0:a='if(lt(X,20),255,0)'", '-frames:v', '1'],
  ],
} as const;

const test = daemonSuite<Context>('watermarks', async (context) => {
  const folder = tempFolder();
  context.folder = folder;
  const blue = ['-f', 'lavfi', '-i', `color=blue:size=${width}x${height}:rate=25:duration=2`, ...testTone(2)];
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  await makeMedia(join(folder, 'blue.mp4'), [...blue, ...coded]);
  for (const [name, args] of Object.entries(marks)) await makeMedia(join(folder, name), args);
  return { filesRoots: [folder] };
});

async function encode(context: Context, output: object): Promise<JobRecord> {
  const outputs = [{ url: `file://${join(context.folder, 'out.mp4')}`, overwrite: true, ...output }];
  return context.daemon.waitForJob(
    await context.daemon.create({ input: `file://${join(context.folder, 'blue.mp4')}`, outputs }),
  );
}

/** The bounding box of all red pixels of the first or the last frame, as x, y, width and height; null if there are none. */
async function redBox(path: string, from: 'first' | 'last'): Promise<readonly number[] | null> {
  const { ffmpeg } = await testFfmpeg();
  const raw = `${path}.rgb`;
  await promisify(execFile)(ffmpeg.path, [
    ...['-v', 'error', '-y', '-i', path, '-an', '-f', 'rawvideo', '-pix_fmt', 'rgb24', raw],
  ]);
  const frames = await readFile(raw);
  const frameBytes = width * height * 3;
  assert.is(frames.length % frameBytes, 0);
  const start = from === 'first' ? 0 : frames.length - frameBytes;
  const pixels = frames.subarray(start, start + frameBytes);
  const found: (readonly [number, number])[] = [];
  for (let at = 0; at < pixels.length; at += 3) {
    const isRed = (pixels[at] ?? 0) > 150 && (pixels[at + 2] ?? 255) < 100;
    if (isRed) found.push([(at / 3) % width, Math.floor(at / 3 / width)]);
  }
  if (found.length === 0) return null;
  const xs = found.map(([x]) => x);
  const ys = found.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
}

function near(found: readonly number[] | null, target: readonly number[], what: string): void {
  const isNear = found?.every((value, index) => Math.abs(value - (target[index] ?? 0)) <= 2) ?? false;
  assert.ok(isNear, `${what}: ${found?.join()}, not ${target.join()}`);
}

const positions: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly number[]])[] = [
  ['logo.png', {}, [270, 210, 40, 20]],
  ['logo.gif', { x: 10, y: 20 }, [10, 20, 40, 20]],
  ['logo.jpg', { x: '-0', y: '-0' }, [280, 220, 40, 20]],
  ['logo.bmp', { x: '25%', y: '50%', width: '50%' }, [80, 120, 160, 80]],
  ['half.png', { x: 100, y: 100 }, [100, 100, 20, 20]],
];

for (const [name, position, box] of positions) {
  test(`${name} with ${JSON.stringify(position)} is at ${box.join()} from the first frame to the last`, async (context) => {
    const url = `file://${join(context.folder, name)}`;
    const job = await encode(context, { watermark: { url, ...position } });
    assert.is(job.state, 'finished', JSON.stringify(job));
    for (const from of ['first', 'last'] as const) {
      near(await redBox(join(context.folder, 'out.mp4'), from), box, from);
    }
  });
}

test('several watermarks are drawn on a two-pass clip, in pixels of the output size', async (context) => {
  const url = `file://${join(context.folder, 'logo.png')}`;
  const watermarks = [
    { url, x: 0, y: 0 },
    { url, x: '-0', y: '-0' },
  ];
  const output = {
    watermarks,
    size: '320x240',
    upscale: true,
    start_clip: 0.5,
    clip_length: 1,
    video_bitrate: 300,
  };
  const job = await encode(context, output);
  assert.is(job.state, 'finished', JSON.stringify(job));
  near(await redBox(join(context.folder, 'out.mp4'), 'last'), [0, 0, 320, 240], 'both corners');
});

const broken: readonly (readonly [string, Buffer | null])[] = [
  ['does not exist', null],
  ['is empty', Buffer.alloc(0)],
  ['is not an image', Buffer.from('<html></html>')],
  ['is truncated', Buffer.from('89504e470d0a1a0a0000', 'hex')],
];

for (const [what, bytes] of broken) {
  test(`a watermark that ${what} fails only its output`, async (context) => {
    const path = join(context.folder, 'broken.png');
    if (bytes !== null) await writeFile(path, bytes);
    const url = `file://${bytes === null ? join(context.folder, 'none.png') : path}`;
    const outputs = [{ watermark: { url } }, { label: 'plain' }];
    const input = `file://${join(context.folder, 'blue.mp4')}`;
    const job = await context.daemon.waitForJob(await context.daemon.create({ input, outputs }));
    assert.equal(
      job.output_media_files.map(({ state, error_class: errorClass }) => [state, errorClass]),
      [
        ['failed', 'WatermarkError'],
        ['finished', null],
      ],
    );
  });
}

test('a watermark with an unsupported scheme is rejected with its path in the message', async ({
  daemon,
}) => {
  const body = { input: 'http://127.0.0.1:9/a', outputs: [{ watermark: { url: 'gopher://a/b.png' } }] };
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 422);
  assert.match(await response.text(), /outputs\[0\]\.watermark\.url/);
});

test.run();
