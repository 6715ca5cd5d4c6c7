import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseFieldOrder } from '../../daemon/ffmpeg/probe/measure-streams.js';

const frame = { t: [1, 1], b: [1, 0], p: [0, 0] } as const;

function answer(flags: string): string {
  const frames = [...flags].map((flag) => {
    const [interlaced_frame, top_field_first] = frame[flag as keyof typeof frame];
    return { interlaced_frame, top_field_first };
  });
  return JSON.stringify({ frames });
}

for (const [flags, declared, expected] of [
  ['tttt', 'bottom-first', 'top-first'],
  ['bbbb', 'unknown', 'bottom-first'],
  ['pppp', 'top-first', null],
  ['pppt', 'top-first', null],
  ['ttpp', 'unknown', 'top-first'],
  ['tbtb', 'bottom-first', 'bottom-first'],
  ['tbbb', 'unknown', 'bottom-first'],
  ['', 'top-first', null],
] as const) {
  test(`frames with the flags "${flags}" in a stream that says ${declared} are ${expected ?? 'not decided'}`, () => {
    assert.is(parseFieldOrder(answer(flags), declared), expected);
  });
}

test('output that is not JSON decides nothing', () => {
  assert.is(parseFieldOrder('{"frames": [', 'unknown'), null);
});

test.run();
