import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { brightnessOf } from './decoded-media.js';
import { buildPaths, lumaOf as framesOf, type ShippedEncoder, startShipped } from './shipped-run.js';

/*
 * Slide shows whose images have different brightness and stay on screen for long. The start times determine what a clip has to show at each
 * moment.
 */

const folder = tempFolder();
const audio = ['-f', 'lavfi', '-i', 'sine=duration=20'] as const;
const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;
/** Brightness of the image with a number. */
const lumaOf = (number: number) => 40 + number * 40;

async function show(name: string, begins: readonly number[], more: readonly string[]): Promise<string> {
  const path = join(folder, name);
  const number = begins
    .slice(1)
    .map((seconds) => `gte(T,${seconds})`)
    .join('+');
  const chosen = begins.map((seconds) => `eq(n,${seconds})`).join('+');
  const drawn = `color=black:size=64x64:rate=1:duration=20,format=yuv420p,geq=lum='40+40*(${number})':cb=128:cr=128`;
  const shown = name.startsWith('even') ? 'fps=1/5' : `select='${chosen}'`;
  const times = name.startsWith('even') ? [] : ['-vsync', 'vfr'];
  await ffmpegRaw('-f', 'lavfi', '-i', drawn, ...more, '-vf', shown, ...times, ...coder, path);
  return path;
}

const uneven = [0, 5, 9, 16] as const;
const even = [0, 5, 10, 15] as const;

/** The settings, and the expected images with their start times in seconds of the clip. */
const clips = [
  [
    'a silent show',
    'silent.mp4',
    uneven,
    [],
    { start_clip: '7', clip_length: '6' },
    [
      [0, 1],
      [2, 2],
    ],
    6,
  ],
  [
    'a show with audio',
    'with-audio.mp4',
    uneven,
    audio,
    { start_clip: '7.5' },
    [
      [0, 1],
      [1.5, 2],
      [8.5, 3],
    ],
    12.5,
  ],
  [
    'a show in Matroska',
    'with-audio.mkv',
    uneven,
    audio,
    { start_clip: '12.25', clip_length: '2' },
    [[0, 2]],
    2,
  ],
  [
    'a show at an even rate',
    'even.mkv',
    even,
    audio,
    { start_clip: '7', clip_length: '6' },
    [
      [0, 1],
      [3, 2],
    ],
    6,
  ],
  [
    'a show that becomes a film',
    'film.mp4',
    uneven,
    audio,
    { start_clip: '7', clip_length: '6', frame_rate: 10 },
    [
      [0, 1],
      [2, 2],
    ],
    6,
  ],
] as const;

for (const [build, ffmpeg] of await buildPaths()) {
  const test = suite<{ encoder: ShippedEncoder }>(`held frames, ${build}`);
  test.before(async (context) => {
    context.encoder = await startShipped(ffmpeg);
  });
  test.after(({ encoder }) => encoder.end());

  for (const [what, name, begins, more, settings, target, seconds] of clips) {
    // The fps filter of 2018 shows frames with long durations at wrong times, in clips and in whole videos.
    if (name === 'film.mp4' && build.includes('47683')) continue;
    test(`a clip of ${what} from ${settings.start_clip} begins with the image that is on screen`, async ({
      encoder,
    }) => {
      const input = await show(name, begins, more);
      const { path, job } = await encoder.encoded(input, { quality: 5, ...settings });
      assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
      const frames = await brightnessOf(path);
      const changes = frames.filter(
        ({ luma }, at) => at === 0 || Math.abs(luma - (frames[at - 1]?.luma ?? 0)) > 15,
      );
      assert.equal(
        changes.map(({ luma }) => Math.round((luma - lumaOf(0)) / 40)),
        target.map(([, number]) => number),
        JSON.stringify(changes),
      );
      for (const [at, [begins]] of target.entries()) {
        const off = Math.abs((changes[at]?.seconds ?? Number.NaN) - begins);
        assert.ok(off < 0.06, `image ${at} is off by ${off} s`);
      }
      const found = (await (await testFfmpeg()).probe(path)).durationSeconds ?? 0;
      // Builds of 2018 cannot store the duration of the last uneven frame.
      const canStoreLength = more.length > 0 || !build.includes('47683');
      if (canStoreLength) assert.ok(Math.abs(found - seconds) < 0.15, `${found} seconds, not ${seconds}`);
    });
  }

  test('test mode and a thumbnail also begin with the image that is on screen', async ({ encoder }) => {
    const input = await show('silent.mp4', uneven, []);
    const settings = { quality: 5, start_clip: '7', thumbnails: { number: 1 } };
    const { path, job } = await encoder.encoded(input, settings, 'out.mp4', true);
    assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
    const [first, second] = await brightnessOf(path);
    assert.equal(
      [first, second].map((frame) => Math.round(((frame?.luma ?? 0) - lumaOf(0)) / 40)),
      [1, 2],
    );
    const [thumbnail] = await framesOf(path.replace('.mp4', '_0000.png'), 64 * 64);
    assert.ok(thumbnail !== undefined);
  });

  test.run();
}
