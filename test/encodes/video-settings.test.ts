import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { film, makeMedia, media, rotatedMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encodedAndProbed, encoders, frames, writableName } from '../plan/encoded.js';
import { bufferNeeded, keyframeDistance, moments, packets } from './packets.js';

const folder = tempFolder();
const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '1', '-pix_fmt', 'yuv420p'];
const made = new Map<string, Promise<string>>();

function source(name: string, filter: string, args: readonly string[] = lossless): Promise<string> {
  const path = join(folder, name);
  const known = made.get(name) ?? makeMedia(path, ['-f', 'lavfi', '-i', filter, ...args]).then(() => path);
  made.set(name, known);
  return known;
}

/** Two seconds at 25 frames per second. The brightness of each frame encodes its number. */
const counter = (name: string) =>
  source(name, 'color=black:size=64x64:rate=25:duration=2,format=gray,geq=lum=20+N*4,format=yuv420p');

/** The same without some frames: the first twenty, then every third. */
const unevenCounter = () =>
  source(
    'uneven.mp4',
    'color=black:size=64x64:rate=25:duration=2,format=gray,geq=lum=20+N*4,format=yuv420p,select=lt(n\\,20)+not(mod(n\\,3))',
    ['-vsync', 'vfr', ...lossless],
  );

/** Two seconds that are easy to encode, then noise. */
const hard = () =>
  source('hard.mp4', "testsrc2=size=160x120:rate=25:duration=4,noise=alls=30:allf=t:enable='gte(t,2)'");

/** Longer than the limit of test mode, with audio. */
async function sevenSeconds(): Promise<string> {
  const path = join(folder, 'seven.mp4');
  const known = made.get(path) ?? makeMedia(path, film('128x96', 7)).then(() => path);
  made.set(path, known);
  return known;
}

/** Settings, the input, and the expected number of frames of five seconds of an input with 25 frames per second. */
const testModes: readonly (readonly [OutputSettings, string, number])[] = [
  [{}, 'a.mp4', 125],
  [{}, 'a.webm', 125],
  [{ frame_rate: 5 }, 'a.mp4', 25],
  [{ clip_length: 6, start_clip: 1 }, 'a.mp4', 125],
  [{ video_bitrate: 100 }, 'a.mp4', 125],
];

const mean = (frame: Uint8Array) => frame.reduce((sum, value) => sum + value, 0) / frame.length;
const numberOf = (frame: Uint8Array) => Math.round((mean(frame) - 20) / 4);

/** A frame rotated by 90 degrees clockwise. */
function quarter(frame: Uint8Array, width: number): Uint8Array {
  const height = frame.length / width;
  return frame.map((_, at) => {
    const [x, y] = [at % height, Math.floor(at / height)];
    return frame[(height - 1 - x) * width + y] ?? 0;
  });
}

const difference = (one: Uint8Array, other: Uint8Array) =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;

/** Settings, and the expected frame rate for an input of 25 frames per second. */
const rates: readonly (readonly [OutputSettings, number])[] = [
  [{ frame_rate: 10 }, 10],
  [{ frame_rate: 50 }, 50],
  [{ frame_rate: 29.97 }, 30_000 / 1001],
  [{ frame_rate: 12.5 }, 12.5],
  [{ decimate: 2 }, 12.5],
  [{ decimate: 2.5 }, 10],
  [{ max_frame_rate: 12 }, 12],
  [{ max_frame_rate: 30 }, 25],
  [{ frame_rate: 30, decimate: 3, max_frame_rate: 15 }, 15],
  [{ decimate: 2, max_frame_rate: 5 }, 5],
];

const codecs: readonly (readonly [NonNullable<OutputSettings['video_codec']>, string])[] = [
  ['h264', 'a.mp4'],
  ['hevc', 'a.mp4'],
  ['vp8', 'a.webm'],
  ['vp9', 'a.webm'],
  ['theora', 'a.ogv'],
];

for (const [build, ffmpeg] of await encoders()) {
  for (const [stored, file] of [
    ['as stored', () => media('silent.mp4')],
    ['with a rotation in its display matrix', rotatedMedia],
  ] as const) {
    for (const rotate of [0, 90, 180, 270] as const) {
      test(`${build}: rotate ${rotate} of a video ${stored} rotates it by exactly this angle`, async () => {
        const { path, facts } = await encodedAndProbed(ffmpeg, await file(), { rotate, quality: 5 });
        const isQuarter = rotate % 180 === 90;
        assert.equal([facts.video?.width, facts.video?.height], isQuarter ? [120, 160] : [160, 120]);
        assert.is(facts.video?.rotationDegrees, 0);
        const plain = await encoded(ffmpeg, await media('silent.mp4'), { quality: 5 });
        let [expected = new Uint8Array()] = await frames(ffmpeg, plain.path, 160 * 120);
        for (let turned = 0; turned < rotate; turned += 90) {
          expected = quarter(expected, turned % 180 === 0 ? 160 : 120);
        }
        const [found = new Uint8Array()] = await frames(ffmpeg, path, 160 * 120);
        assert.ok(difference(found, expected) < 3, `${difference(found, expected)}`);
      });
    }
  }

  for (const [settings, rate] of rates) {
    test(`${build}: ${JSON.stringify(settings)} shows each frame at its time`, async () => {
      const { path, facts } = await encodedAndProbed(ffmpeg, await counter('counter.mp4'), {
        ...settings,
        quality: 5,
      });
      const numbers = (await frames(ffmpeg, path, 64 * 64)).map(numberOf);
      assert.ok(Math.abs(numbers.length - 2 * rate) <= 1, `${numbers.length} frames`);
      const { numerator = 0, denominator = 1 } = facts.video?.frameRate ?? {};
      assert.ok(Math.abs(numerator / denominator - rate) < 0.01, `${numerator}/${denominator}`);
      const max = Math.max(...numbers.map((number, at) => Math.abs(number / 25 - at / rate)));
      assert.ok(max <= 0.5 / Math.min(25, rate) + 0.021, `${max} s from its time: ${numbers.join()}`);
    });
  }

  for (const file of ['counter.mp4', 'counter.ts'] as const) {
    test(`${build}: a clip of ${file} at another rate begins and ends with the right frames`, async () => {
      const settings = { start_clip: 0.52, clip_length: 0.6, frame_rate: 12.5, quality: 5 };
      const { path } = await encoded(ffmpeg, await counter(file), settings);
      const numbers = (await frames(ffmpeg, path, 64 * 64)).map(numberOf);
      assert.is(numbers.length, 8);
      for (const [at, number] of numbers.entries())
        assert.ok(Math.abs(number - 13 - at * 2) <= 1, numbers.join());
    });
  }

  test(`${build}: a clip with another frame rate has the number of frames for its length`, async () => {
    const { path } = await encoded(ffmpeg, await counter('counter.mp4'), { clip_length: 1, frame_rate: 5 });
    assert.is((await packets(path)).length, 5);
  });

  for (const [settings, filename, frameCount] of testModes) {
    test(`${build}: test mode encodes five seconds of a longer file: ${filename} ${JSON.stringify(settings)}`, async () => {
      const quick = { ...settings, speed: 5 } as const;
      const { path, facts } = await encodedAndProbed(ffmpeg, await sevenSeconds(), quick, filename, true);
      assert.ok(Math.abs((facts.durationSeconds ?? 0) - 5) < 0.1, `${facts.durationSeconds} s`);
      const shown = moments(await packets(path));
      assert.is(shown.length, frameCount);
      const seconds = ((shown.at(-1) ?? 0) - (shown[0] ?? 0)) * (frameCount / (frameCount - 1));
      assert.ok(Math.abs(seconds - 5) < 0.05, `${seconds} s of video`);
    });
  }

  for (const settings of [{ max_frame_rate: 10 }, { decimate: 2 }] as const) {
    test(`${build}: ${JSON.stringify(settings)} drops uneven frames, and the remaining ones keep their times`, async () => {
      const input = await unevenCounter();
      const { path } = await encoded(ffmpeg, input, { ...settings, quality: 5 });
      const before = moments(await packets(input));
      const after = moments(await packets(path));
      const first = (before[0] ?? 0) - (after[0] ?? 0);
      for (const moment of after) {
        const nearest = Math.min(...before.map((other) => Math.abs(other - moment - first)));
        assert.ok(nearest < 0.0025, `${moment} is not a frame time of the input`);
      }
      const expected = 'decimate' in settings ? Math.ceil(before.length / 2) : null;
      if (expected !== null) assert.is(after.length, expected);
      else assert.ok(after.length >= 14 && after.length <= 20, `${after.length} frames`);
    });
  }

  for (const [video_codec, filename] of codecs) {
    test(`${build}: ${video_codec} has at most keyframe_interval frames from one keyframe to the next`, async () => {
      const settings = { video_codec, keyframe_interval: 12, speed: 5 } as const;
      const { path } = await encoded(
        ffmpeg,
        await media('silent.mp4'),
        settings,
        writableName(ffmpeg, filename),
      );
      const all = await packets(path);
      assert.is(all.length, 50);
      assert.is(keyframeDistance(all), 12);
    });

    test(`${build}: ${video_codec} stays below bitrate_cap, with a buffer of 1.5 seconds or the requested size`, async () => {
      for (const [bitrate_cap, buffer_size] of [
        [200, undefined],
        [250, 200],
      ] as const) {
        const buffer = buffer_size === undefined ? {} : { buffer_size };
        const settings = { video_codec, bitrate_cap, ...buffer, quality: 5, speed: 5 } as const;
        const { path } = await encoded(ffmpeg, await hard(), settings, writableName(ffmpeg, filename));
        const needed = bufferNeeded(await packets(path), bitrate_cap, 25);
        assert.ok(needed <= (buffer_size ?? bitrate_cap * 1.5), `${bitrate_cap}: ${needed} kilobits`);
      }
    });
  }
}

test.run();
