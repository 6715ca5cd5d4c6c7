import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encoded, encoders, writableName } from '../plan/encoded.js';
import { lagsOf, makeSyncVideo } from './sync-video.js';

// Containers that store times in edit lists, in milliseconds, in frames and in a stream's own time base.
const names = ['a.mp4', 'a.webm', 'a.ogv', 'a.ts'] as const;

const gap = (from: number, to: number) => `aselect='not(between(t,${from},${to}))'`;

/** Inputs whose audio and video differ in start, end or continuity. */
const inputs = [
  ['whose audio starts late', 'late.mkv', { audio: 'atrim=start=0.3' }],
  ['whose audio starts late in MP4', 'late.mp4', { audio: 'atrim=start=0.3', audioCodec: 'aac' }],
  [
    'whose audio starts late in a transport stream',
    'late.ts',
    { audio: 'atrim=start=0.3', audioCodec: 'aac' },
  ],
  ['whose video starts late', 'video.mkv', { video: 'trim=start=0.2' }],
  ['whose audio ends early', 'short.mkv', { audio: 'atrim=end=1.7' }],
  ['with a gap of half a second in its audio', 'gap.mkv', { audio: gap(0.8, 1.295) }],
  ['with a gap of less than a tenth of a second in its audio', 'hole.mkv', { audio: gap(0.8, 0.875) }],
  ['with two short gaps in its audio', 'holes.mkv', { audio: `${gap(0.8, 0.825)},${gap(1.1, 1.125)}` }],
] as const;

for (const [build, ffmpeg] of await encoders()) {
  for (const [what, name, options] of inputs) {
    test(`${build}: audio and video of an input ${what} are in sync within 40 ms`, async () => {
      const input = await makeSyncVideo(name, options);
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

  test(`${build}: audio and video of a clip are in sync`, async () => {
    const input = await makeSyncVideo('clip.mkv');
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
