import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAudioParts } from '../../daemon/plan/write/audio.js';

/** What the filters print at a change: a number for the format, then the times of up to two frames. */
const part = (channels: number, sampleRate: number, ...times: readonly number[]) =>
  [1e12 + channels * 1e6 + sampleRate, ...times].map((number) => `${number.toFixed(6)}\n`).join('');

test('each part of audio has its format and the time of its first frame', () => {
  const messages = `${part(1, 48_000, 0, 0.021)}[Eval @ 0x55] ${part(2, 48_000, 2, 2.021)}`;
  assert.equal(readAudioParts(messages), [
    { seconds: 0, channels: 1, sampleRate: 48_000 },
    { seconds: 2, channels: 2, sampleRate: 48_000 },
  ]);
});

test('a single frame between two formats is no part, and its time is ignored', () => {
  const messages = [
    part(2, 44_100, 0),
    part(2, 48_000, 0.024, 0.048),
    part(1, 48_000, 3.664979),
    part(1, 44_100, 4.015215, 4.041338),
  ].join('');
  assert.equal(readAudioParts(messages), [
    { seconds: 0, channels: 2, sampleRate: 48_000 },
    { seconds: 4.015215, channels: 1, sampleRate: 44_100 },
  ]);
});

test.run();
