import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encoded, encoders, writableName } from '../plan/encoded.js';
import { clapper, lagsOf } from './clapper.js';

// Containers that tell times in edit lists, in milliseconds, in frames and in a stream's own clock.
const names = ['a.mp4', 'a.webm', 'a.ogv', 'a.ts'] as const;

const gap = (from: number, to: number) => `aselect='not(between(t,${from},${to}))'`;

/** Inputs whose sound and picture do not go side by side from the beginning to the end. */
const inputs = [
  ['whose sound begins late', 'late.mkv', { audio: 'atrim=start=0.3' }],
  ['whose sound begins late in MP4', 'late.mp4', { audio: 'atrim=start=0.3', audioCodec: 'aac' }],
  [
    'whose sound begins late in a transport stream',
    'late.ts',
    { audio: 'atrim=start=0.3', audioCodec: 'aac' },
  ],
  ['whose picture begins late', 'picture.mkv', { video: 'trim=start=0.2' }],
  ['whose sound ends early', 'short.mkv', { audio: 'atrim=end=1.7' }],
  ['with a gap of half a second in its sound', 'gap.mkv', { audio: gap(0.8, 1.295) }],
  ['with a gap of less than a tenth of a second in its sound', 'hole.mkv', { audio: gap(0.8, 0.875) }],
  ['with two short gaps in its sound', 'holes.mkv', { audio: `${gap(0.8, 0.825)},${gap(1.1, 1.125)}` }],
] as const;

for (const [build, ffmpeg] of await encoders()) {
  for (const [what, name, options] of inputs) {
    test(`${build}: of an input ${what}, sound and picture are together within 40 ms`, async () => {
      const input = await clapper(name, options);
      for (const output of names.map((name) => writableName(ffmpeg, name))) {
        const { path } = await encoded(ffmpeg, input, { speed: 5 }, output);
        const lags = await lagsOf(path);
        assert.is(lags.length, 2, output);
        assert.ok(
          lags.every((lag) => Math.abs(lag) <= 40),
          `${output}: ${lags.join()}`,
        );
      }
    });
  }

  test(`${build}: a clip's sound is with its picture`, async () => {
    const input = await clapper('clip.mkv');
    for (const output of names.map((name) => writableName(ffmpeg, name))) {
      const { path } = await encoded(ffmpeg, input, { start_clip: 0.32, speed: 5 }, output);
      const lags = await lagsOf(path);
      assert.is(lags.length, 2, output);
      assert.ok(
        lags.every((lag) => Math.abs(lag) <= 40),
        `${output}: ${lags.join()}`,
      );
    }
  });
}

test.run();
