import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideColourMatrix } from '../../daemon/plan/decide/colour-matrix.js';
import { videoFacts } from './facts.js';

const low = { width: 640, height: 480 };
const high = { width: 1280, height: 720 };

const cases = [
  [undefined, low, 'bt601'],
  [undefined, high, 'bt709'],
  ['bt709', low, 'bt709'],
  ['smpte170m', high, 'bt601'],
  ['bt470bg', high, 'bt601'],
  ['bt2020nc', low, 'bt2020'],
  ['gbr', high, 'bt601'],
  ['ictcp', high, 'bt709'],
] as const;

for (const [colourSpace, canvas, matrix] of cases) {
  test(`a picture of ${canvas.height} lines and ${colourSpace ?? 'no'} colour space takes colours of ${matrix}`, () => {
    const video = videoFacts(colourSpace === undefined ? {} : { colourSpace });
    assert.is(decideColourMatrix(video, canvas), matrix);
  });
}

test.run();
