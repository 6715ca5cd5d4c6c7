import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders } from '../plan/encoded.js';
import { probed } from './decoded-media.js';
import { moments, packets } from './packets.js';
import { decoded, encodedFile } from './video-harness.js';

const folder = tempFolder();
const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '4', '-pix_fmt', 'yuv420p'];
const size = { width: 160, height: 96 };
const pattern = 'testsrc2=size=160x96:rate=25:duration=1';

const ramp = 'color=black:size=160x96:rate=25:duration=0.4,format=yuv420p';

/** The inputs: the arguments of ffmpeg by name. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  'clean.mp4': ['-f', 'lavfi', '-i', pattern, ...coder],
  'noisy.mp4': ['-f', 'lavfi', '-i', `${pattern},noise=alls=25:allf=t:all_seed=3`, ...coder],
  'flat.mp4': ['-f', 'lavfi', '-i', `${pattern},lutyuv=y=(val-128)/3+128:u=128:v=128`, ...coder],
  'full.mp4': [
    ...['-f', 'lavfi', '-i', `${pattern},lutyuv=y=(val-128)/3+128:u=128:v=128,scale=out_range=pc`],
    ...[...coder, '-pix_fmt', 'yuvj420p'],
  ],
  'rgb.mkv': ['-f', 'lavfi', '-i', `${pattern},noise=alls=25:allf=t:all_seed=3,format=gbrp`, '-c:v', 'ffv1'],
  'clean-rgb.mkv': ['-f', 'lavfi', '-i', `${pattern},format=gbrp`, '-c:v', 'ffv1'],
  'blocks.mp4': [
    // Not the source gradients: with the same seed it was once a single colour.
    ...['-f', 'lavfi', '-i', `${ramp},geq=lum=40+X*0.6+Y*0.5+8*sin(X/9+N/3):cb=128:cr=128`],
    ...['-c:v', 'mpeg4', '-q:v', '31', '-pix_fmt', 'yuv420p'],
  ],
  'fields.mp4': [
    ...[
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=160x96:rate=50:duration=1',
      '-vf',
      'tinterlace=interleave_top,fieldorder=tff',
    ],
    ...[...coder, '-flags', '+ilme+ildct', '-x264opts', 'tff=1'],
  ],
};
const made = new Map<string, Promise<string>>();
function file(name: string): Promise<string> {
  const path = join(folder, name);
  const making = made.get(name) ?? makeMedia(path, recipes[name] ?? []).then(() => path);
  made.set(name, making);
  return making;
}

const best = { quality: 5, speed: 5 } as const;
async function luma(ffmpeg: Ffmpeg, name: string, settings: OutputSettings): Promise<readonly Uint8Array[]> {
  return decoded(await encodedFile(ffmpeg, await file(name), { ...best, ...settings }), 'gray', size);
}

/** The mean squared difference of all frames. */
function difference(one: readonly Uint8Array[], other: readonly Uint8Array[]): number {
  assert.is(one.length, other.length);
  const sums = one.map((frame, at) =>
    frame.reduce((sum, value, index) => sum + (value - (other[at]?.[index] ?? 0)) ** 2, 0),
  );
  return sums.reduce((sum, value) => sum + value, 0) / (one.length * size.width * size.height);
}

/** The mean difference of neighbouring pixels. */
function detail(frames: readonly Uint8Array[]): number {
  const sums = frames.map((frame) =>
    frame.reduce(
      (sum, value, at) => sum + (at % size.width === 0 ? 0 : Math.abs(value - (frame[at - 1] ?? 0))),
      0,
    ),
  );
  return sums.reduce((sum, value) => sum + value, 0) / (frames.length * size.width * size.height);
}

const range = (frame: Uint8Array | undefined) => {
  const sorted = [...(frame ?? [])].toSorted((a, b) => a - b);
  return (
    (sorted.at(Math.floor(sorted.length * 0.98)) ?? 0) - (sorted.at(Math.floor(sorted.length * 0.02)) ?? 0)
  );
};

/** How much larger steps between blocks of 8 pixels are than steps within them. */
function blockiness(frames: readonly Uint8Array[]): number {
  const steps = (isEdge: boolean) => {
    const found = frames.flatMap((frame) =>
      [...frame.entries()]
        .filter(([at]) => at % size.width > 0 && ((at % size.width) % 8 === 0) === isEdge)
        .map(([at, value]) => Math.abs(value - (frame[at - 1] ?? 0))),
    );
    return found.reduce((sum, value) => sum + value, 0) / found.length;
  };
  return steps(true) / steps(false);
}

const mirrored = (frames: readonly Uint8Array[]) =>
  frames.map((frame) =>
    frame.map((_, at) => frame[at - (at % size.width) + size.width - 1 - (at % size.width)] ?? 0),
  );
const upsideDown = (frames: readonly Uint8Array[]) =>
  frames.map((frame) =>
    frame.map(
      (_, at) => frame[(size.height - 1 - Math.floor(at / size.width)) * size.width + (at % size.width)] ?? 0,
    ),
  );

async function streamFields(path: string, names: string): Promise<readonly string[]> {
  const [row = []] = await probed(path, ['-select_streams', 'v', '-show_entries', `stream=${names}`]);
  return row;
}

for (const [build, ffmpeg] of await encoders()) {
  for (const [noisy, clean] of [
    ['noisy.mp4', 'clean.mp4'],
    ['rgb.mkv', 'clean-rgb.mkv'],
  ] as const) {
    test(`${build}: each strength of denoise leaves less noise of ${noisy} than the one before`, async () => {
      const reference = await luma(ffmpeg, clean, {});
      // The noise that is left is measured in time, where the strengths differ; the first frames have no past.
      const flicker = async (settings: OutputSettings) => {
        const frames = await luma(ffmpeg, noisy, settings);
        const rest = frames.map((frame, at) =>
          frame.map((value, index) => 128 + value - (reference[at]?.[index] ?? 0)),
        );
        return difference(rest.slice(2), rest.slice(1, -1));
      };
      const found = [
        await flicker({}),
        await flicker({ denoise: 'weak' }),
        await flicker({ denoise: 'strong' }),
        await flicker({ denoise: 'strongest' }),
      ];
      assert.ok(
        found.every((value, at) => at === 0 || value < (found[at - 1] ?? 0)),
        found.join(),
      );
      const weak = await luma(ffmpeg, noisy, { denoise: 'weak' });
      assert.ok(difference(weak, reference) < difference(await luma(ffmpeg, noisy, {}), reference));
    });
  }

  test(`${build}: sharpen increases detail, alone and in a group`, async () => {
    const plain = detail(await luma(ffmpeg, 'clean.mp4', {}));
    const sharp = detail(await luma(ffmpeg, 'clean.mp4', { sharpen: true }));
    assert.ok(sharp > plain * 1.05, `${plain} ${sharp}`);
    const input = await file('clean.mp4');
    const scratch = tempFolder();
    const outputs = [{}, { sharpen: true }].map((settings, id) => ({
      id,
      settings: { ...best, ...settings },
      filename: 'film.mp4',
      isTest: false,
    }));
    const { steps, products } = plan(
      outputs,
      await ffmpeg.probe(input),
      { input, scratch },
      ffmpeg.capabilities,
    );
    assert.is(steps.length, 1);
    for (const { args } of steps) {
      await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
    }
    const found = await Promise.all(
      products.map(async ({ path }) => detail(await decoded(path, 'gray', size))),
    );
    assert.ok(
      Math.abs((found[0] ?? 0) - plain) < 0.2 && Math.abs((found[1] ?? 0) - sharp) < 0.2,
      found.join(),
    );
  });

  test(`${build}: deblock removes steps between blocks`, async () => {
    const plain = blockiness(await luma(ffmpeg, 'blocks.mp4', {}));
    const smooth = blockiness(await luma(ffmpeg, 'blocks.mp4', { deblock: true }));
    assert.ok(smooth < plain * 0.8, `${plain} ${smooth}`);
  });

  for (const name of ['flat.mp4', 'full.mp4']) {
    test(`${build}: autolevel uses the whole range for ${name}`, async () => {
      const plain = range((await luma(ffmpeg, name, {})).at(-1));
      const frame = (await luma(ffmpeg, name, { autolevel: true })).at(-1);
      assert.ok(range(frame) > plain * 2, `${plain} ${range(frame)}`);
      assert.ok(range(frame) <= 225, 'limited range');
    });
  }

  test(`${build}: flip mirrors the video before it is rotated`, async () => {
    const plain = await luma(ffmpeg, 'clean.mp4', {});
    const bounds = 30;
    const across = await luma(ffmpeg, 'clean.mp4', { flip: 'horizontal' });
    assert.ok(difference(across, mirrored(plain)) < bounds && difference(across, plain) > 500);
    assert.ok(difference(await luma(ffmpeg, 'clean.mp4', { flip: 'vertical' }), upsideDown(plain)) < bounds);
    const turned = await luma(ffmpeg, 'clean.mp4', { flip: 'horizontal', rotate: 180 });
    assert.ok(difference(turned, upsideDown(plain)) < bounds);
  });

  const shapes = [
    [{ width: 144, height: 96, sample_aspect_ratio: { numerator: 8, denominator: 9 } }, ['144', '96', '8:9']],
    [{ sample_aspect_ratio: { numerator: 1001, denominator: 907 } }, ['160', '96', '1001:907']],
    [
      { video_codec: 'hevc', width: 80, height: 80, sample_aspect_ratio: { numerator: 4, denominator: 3 } },
      ['80', '80', '4:3'],
    ],
    [{ width: 80, height: 80 }, ['80', '48', '1:1']],
  ] as const;
  for (const [settings, expected] of shapes) {
    test(`${build}: a file with ${JSON.stringify(settings)} has ${expected.join(', ')}`, async () => {
      const path = await encodedFile(ffmpeg, await file('clean.mp4'), { ...best, ...settings });
      assert.equal(await streamFields(path, 'width,height,sample_aspect_ratio'), expected);
    });
  }

  for (const video_codec of ['h264', 'hevc', 'vp9'] as const) {
    test(`${build}: color_metadata discard leaves out the colours of ${video_codec}`, async () => {
      const name = video_codec === 'vp9' ? 'film.webm' : 'film.mp4';
      const fields = 'color_space,color_transfer,color_primaries';
      const source = await file('clean.mp4');
      const kept = await encodedFile(ffmpeg, source, { ...best, video_codec }, [], name);
      const without = await encodedFile(
        ffmpeg,
        source,
        { ...best, video_codec, color_metadata: 'discard' },
        [],
        name,
      );
      assert.is((await streamFields(kept, fields)).includes('unknown'), false);
      assert.equal(await streamFields(without, fields), ['unknown', 'unknown', 'unknown']);
    });
  }

  test(`${build}: force_interlace_headers allows fields in the stream`, async () => {
    const isFrameOnly = async (settings: OutputSettings) => {
      const path = await encodedFile(ffmpeg, await file('clean.mp4'), { ...best, ...settings });
      const { ffmpeg: program } = await testFfmpeg();
      const trace = [
        '-v',
        'verbose',
        '-i',
        `file:${path}`,
        '-c',
        'copy',
        '-bsf:v',
        'trace_headers',
        '-f',
        'null',
        '-',
      ];
      const { stderr } = await promisify(execFile)(program.path, trace, { maxBuffer: 2 ** 26 });
      return /frame_mbs_only_flag\s+(\d) = \d/.exec(stderr)?.[1];
    };
    assert.is(await isFrameOnly({}), '1');
    assert.is(await isFrameOnly({ force_interlace_headers: true }), '0');
  });

  const rates: readonly (readonly [string, OutputSettings, number, number])[] = [
    ['clean.mp4', { min_frame_rate: 50 }, 50, 50],
    ['clean.mp4', { min_frame_rate: 20 }, 25, 25],
    ['clean.mp4', { decimate: 5, min_frame_rate: 10 }, 10, 10],
    ['clean.mp4', { frame_rate: 5, min_frame_rate: 10, max_frame_rate: 12 }, 10, 10],
    ['fields.mp4', {}, 25, 25],
    ['fields.mp4', { deinterlace_mode: 'field-to-frame' }, 50, 50],
    ['fields.mp4', { frame_rate: 50 }, 50, 50],
    ['fields.mp4', { deinterlace_mode: 'field-to-frame', max_frame_rate: 25 }, 25, 25],
    ['clean.mp4', { deinterlace_mode: 'field-to-frame' }, 25, 25],
  ];
  for (const [name, settings, framesPerSecond, count] of rates) {
    test(`${build}: ${name} with ${JSON.stringify(settings)} has ${framesPerSecond} frames per second`, async () => {
      const { path } = await encoded(ffmpeg, await file(name), { ...best, ...settings });
      const times = moments(await packets(path));
      assert.ok(Math.abs(times.length - count) <= 1, `${times.length} frames`);
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      assert.ok(
        gaps.every((gap) => Math.abs(gap - 1 / framesPerSecond) < 0.002),
        gaps.join(),
      );
    });
  }

  test(`${build}: each field of field-to-frame is another image`, async () => {
    for (const settings of [{ deinterlace_mode: 'field-to-frame' }, { frame_rate: 50 }] as const) {
      const frames = await luma(ffmpeg, 'fields.mp4', settings);
      const changes = frames.slice(2, 40).map((frame, at) => difference([frame], [frames[at + 1] ?? frame]));
      assert.ok(
        changes.every((change) => change > 5),
        changes.map(Math.round).join(),
      );
    }
  });
}

test.run();
