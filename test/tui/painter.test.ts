import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPainter } from '../../src/tui/painter.js';

function setUp() {
  let written = '';
  const painter = openPainter({ write: (text) => (written += text) });
  const news = (): string => {
    const text = written.replaceAll('\u001b[', '^').replace(/\^\?2026[hl]/g, '');
    written = '';
    return text;
  };
  return { painter, news };
}

test('the first frame is painted on a cleared alternate screen with a hidden cursor', () => {
  const { painter, news } = setUp();
  assert.is(news(), '^?1049h^?25l');
  painter.paint(['one', 'two']);
  assert.is(news(), '^H^2J^1;1Hone^2;1Htwo');
});

test('unchanged rows are not written, and neither is an unchanged frame', () => {
  const { painter, news } = setUp();
  painter.paint(['one', 'two', 'three']);
  news();
  painter.paint(['one', '2', 'three']);
  assert.is(news(), '^2;1H2^K');
  painter.paint(['one', '2', 'three']);
  assert.is(news(), '');
});

test('only a row that became shorter is erased to its end, because after a full row the cursor is on its last cell', () => {
  const { painter, news } = setUp();
  painter.paint(['\u001b[31mabc\u001b[39m']);
  news();
  painter.paint(['xyz']);
  assert.is(news(), '^1;1Hxyz');
  painter.paint(['映']);
  assert.is(news(), '^1;1H映^K');
});

test('rows below a frame that became shorter are erased', () => {
  const { painter, news } = setUp();
  painter.paint(['one', 'two', 'three']);
  news();
  painter.paint(['one']);
  assert.is(news(), '^2;1H^J');
});

test('after a reset the whole frame is painted again', () => {
  const { painter, news } = setUp();
  painter.paint(['one']);
  news();
  painter.invalidate();
  painter.paint(['one']);
  assert.is(news(), '^H^2J^1;1Hone');
});

test('the terminal can be released, and is painted again when it is acquired again', () => {
  const { painter, news } = setUp();
  painter.paint(['one']);
  news();
  painter.release();
  assert.is(news(), '^?25h^?1049l');
  painter.reacquire();
  painter.paint(['one']);
  assert.is(news(), '^?1049h^?25l^H^2J^1;1Hone');
});

test('the terminal is restored once, and nothing is painted afterwards', () => {
  const { painter, news } = setUp();
  painter.paint(['one']);
  news();
  painter.close('the last\n');
  assert.is(news(), '^?25h^?1049lthe last\n');
  painter.close();
  painter.paint(['two']);
  assert.is(news(), '');
});

test.run();
