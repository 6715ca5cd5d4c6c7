import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPainter } from '../../src/tui/painter.js';

function setUp() {
  let written = '';
  const painter = openPainter({ write: (text) => (written += text) });
  const newOutput = (): string => {
    const text = written.replaceAll('\u001b[', '^').replace(/\^\?2026[hl]/g, '');
    written = '';
    return text;
  };
  return { painter, newOutput };
}

test('the first frame is painted on a cleared alternate screen with a hidden cursor', () => {
  const { painter, newOutput } = setUp();
  assert.is(newOutput(), '^?1049h^?25l');
  painter.paint(['one', 'two']);
  assert.is(newOutput(), '^H^2J^1;1Hone^2;1Htwo');
});

test('unchanged rows are not written, and neither is an unchanged frame', () => {
  const { painter, newOutput } = setUp();
  painter.paint(['one', 'two', 'three']);
  newOutput();
  painter.paint(['one', '2', 'three']);
  assert.is(newOutput(), '^2;1H2^K');
  painter.paint(['one', '2', 'three']);
  assert.is(newOutput(), '');
});

test('only a row that became shorter is erased to its end, because after a full row the cursor is on its last cell', () => {
  const { painter, newOutput } = setUp();
  painter.paint(['\u001b[31mabc\u001b[39m']);
  newOutput();
  painter.paint(['xyz']);
  assert.is(newOutput(), '^1;1Hxyz');
  painter.paint(['映']);
  assert.is(newOutput(), '^1;1H映^K');
});

test('rows below a frame that became shorter are erased', () => {
  const { painter, newOutput } = setUp();
  painter.paint(['one', 'two', 'three']);
  newOutput();
  painter.paint(['one']);
  assert.is(newOutput(), '^2;1H^J');
});

test('after a reset the whole frame is painted again', () => {
  const { painter, newOutput } = setUp();
  painter.paint(['one']);
  newOutput();
  painter.invalidate();
  painter.paint(['one']);
  assert.is(newOutput(), '^H^2J^1;1Hone');
});

test('the terminal can be released, and is painted again when it is acquired again', () => {
  const { painter, newOutput } = setUp();
  painter.paint(['one']);
  newOutput();
  painter.release();
  assert.is(newOutput(), '^?25h^?1049l');
  painter.reacquire();
  painter.paint(['one']);
  assert.is(newOutput(), '^?1049h^?25l^H^2J^1;1Hone');
});

test('the terminal is restored once, and nothing is painted afterwards', () => {
  const { painter, newOutput } = setUp();
  painter.paint(['one']);
  newOutput();
  painter.close('the last\n');
  assert.is(newOutput(), '^?25h^?1049lthe last\n');
  painter.close();
  painter.paint(['two']);
  assert.is(newOutput(), '');
});

test.run();
