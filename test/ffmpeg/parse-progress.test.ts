import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  initialProgressState,
  type ProgressBlock,
  parseProgressText,
  progressKey,
  progressOf,
} from '../../daemon/ffmpeg/run.js';

const recent =
  'frame=50\nfps= 30.5\nstream_0_0_q=28.0\nbitrate= 270.1kbits/s\ntotal_size=48\nout_time_us=1960000\nout_time_ms=1960000\nout_time=00:00:01.960000\ndup_frames=0\ndrop_frames=0\nspeed=1.02x\nprogress=continue\n';
const of2018 =
  'frame=25\nfps=0.0\ntotal_size=48\nout_time_ms=1000000\nout_time=00:00:01.000000\nspeed=   2x\nprogress=end\n';

function blocksOf(chunks: readonly string[]): readonly ProgressBlock[] {
  let reading = initialProgressState;
  return chunks.flatMap((chunk) => {
    const next = parseProgressText(reading, chunk);
    reading = next.state;
    return next.blocks;
  });
}

test('a report is parsed however it is split into chunks', () => {
  const wholes = blocksOf([recent + of2018]);
  const fromSingleCharacters = blocksOf([...(recent + of2018)]);
  assert.is(wholes.length, 2);
  assert.equal(fromSingleCharacters, wholes);
});

const cases = [
  { name: 'a recent report', text: recent, seconds: 1.96, frame: 50, fps: 30.5, speed: 1.02 },
  { name: 'a report of 2018', text: of2018, seconds: 1, frame: 25, fps: 0, speed: 2 },
  {
    name: 'a report before the first frame',
    text: 'frame=0\nfps=0.00\nout_time_us=N/A\nout_time_ms=N/A\nspeed=N/A\nprogress=continue\n',
    seconds: 0,
    frame: 0,
    fps: 0,
    speed: null,
  },
  {
    name: 'a time below zero',
    text: 'out_time_us=-9223372036854775807\nspeed=N/A\nprogress=continue\n',
    seconds: 0,
    frame: null,
    fps: null,
    speed: null,
  },
] as const;

for (const { name, text, ...expected } of cases) {
  test(`${name} is parsed as numbers, with null for unknown values`, () => {
    const [block] = blocksOf([text]);
    assert.ok(block);
    assert.equal(progressOf(block), expected);
  });
}

test('two reports of the same state have the same fingerprint, regardless of the time', () => {
  const [first, second, third] = blocksOf([recent, recent.replace('1.02x', '0.9x'), of2018]);
  assert.ok(first && second && third);
  assert.is(progressKey(first), progressKey(second));
  assert.is.not(progressKey(first), progressKey(third));
});

test.run();
