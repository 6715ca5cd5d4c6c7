import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRepaintScheduler } from '../../src/tui/painter.js';

function setUp(costMs = 0) {
  let now = 1000;
  let timer: { readonly at: number; readonly callback: () => void } | null = null;
  const drawn: (readonly [atMs: number, frame: string])[] = [];
  const repaints = createRepaintScheduler(
    (frame: string) => {
      drawn.push([now - 1000, frame]);
      now += costMs;
    },
    {
      now: () => now,
      setTimer: (milliseconds, callback) => {
        timer = { at: now + milliseconds, callback };
        return () => {
          timer = null;
        };
      },
    },
  );
  const pass = (milliseconds: number): void => {
    const end = now + milliseconds;
    if (timer !== null && timer.at <= end) {
      const { at, callback } = timer;
      timer = null;
      now = Math.max(now, at);
      callback();
    }
    now = Math.max(now, end);
  };
  return { repaints, drawn, pass };
}

test('of rapid frames one is drawn every 480 ms, and the latest one always', () => {
  const { repaints, drawn, pass } = setUp();
  for (let count = 0; count < 200; count += 1) {
    repaints.requestFrame(String(count));
    pass(3);
  }
  pass(1000);
  assert.equal(drawn, [
    [0, '0'],
    [480, '159'],
    [960, '199'],
  ]);
});

test('a frame after a key press is drawn at once', () => {
  const { repaints, drawn, pass } = setUp();
  repaints.requestFrame('a');
  pass(10);
  repaints.requestFrame('b');
  pass(10);
  repaints.requestFrame('c', true);
  pass(1000);
  assert.equal(drawn, [
    [0, 'a'],
    [20, 'c'],
  ]);
});

test('expensive frames are drawn less often, but still every few seconds', () => {
  const slow = setUp(5);
  slow.repaints.requestFrame('a');
  slow.repaints.requestFrame('b');
  slow.pass(5000);
  assert.equal(
    slow.drawn.map(([atMs]) => atMs),
    [0, 505],
  );
  const slowest = setUp(200);
  slowest.repaints.requestFrame('a');
  slowest.repaints.requestFrame('b');
  slowest.pass(5000);
  assert.equal(
    slowest.drawn.map(([atMs]) => atMs),
    [0, 2700],
  );
});

test('nothing is drawn after the end', () => {
  const { repaints, drawn, pass } = setUp();
  repaints.requestFrame('a');
  repaints.requestFrame('b');
  repaints.stop();
  repaints.requestFrame('c', true);
  pass(1000);
  assert.equal(
    drawn.map(([, frame]) => frame),
    ['a'],
  );
});

test.run();
