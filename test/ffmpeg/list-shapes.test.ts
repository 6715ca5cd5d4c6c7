import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changesOf } from '../../daemon/ffmpeg/probe/list-shapes.js';

const narrow = '720,576,16:15';
const wide = '720,576,64:45';

test('the shapes of frames are the first of each, with their times from the start', () => {
  const csv = `1.4,${narrow},\n\n1.9,${narrow},\n2.4,${wide}\nN/A,${narrow}\n2.9,${wide}\n3.4,${narrow}\n`;
  const found = changesOf(csv, 1.4);
  assert.is(found?.isOrdered, true);
  assert.equal(
    found?.frames.map(({ seconds, ratio }) => [seconds.toFixed(1), ratio.numerator]),
    [
      ['0.0', 16],
      ['1.0', 64],
      ['2.0', 16],
    ],
  );
});

test('times that begin again do not show which shape a frame has', () => {
  assert.is(changesOf(`1,${narrow}\n2,${narrow}\n1,${wide}\n`, 1)?.isOrdered, false);
});

test('a change of the size alone, which ffmpeg sees, is not listed', () => {
  assert.is(changesOf(`1,${narrow}\n2,360,288,16:15\n`, 1), null);
});

test.run();
