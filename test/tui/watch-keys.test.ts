import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keysOf, type PressedKey } from '../../src/tui/watch-keys.js';
import { reduceWatch, startWatch } from '../../src/tui/watch-state.js';
import type { WatchKey, WatchState } from '../../src/tui/watch-types.js';
import { jobRecord, progressRecord } from './records.js';

const none: PressedKey = {
  upArrow: false,
  pageUp: false,
  pageDown: false,
  downArrow: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
};

const presses: readonly (readonly [string, Partial<PressedKey>, readonly WatchKey[]])[] = [
  ['', { upArrow: true }, ['up']],
  ['', { downArrow: true }, ['down']],
  ['', { home: true }, ['first']],
  ['', { end: true }, ['last']],
  ['\r', { return: true }, ['open']],
  ['', { escape: true }, ['close']],
  ['c', {}, ['cancel']],
  ['C', {}, ['cancel']],
  ['c', { ctrl: true }, ['quit']],
  ['d', { ctrl: true }, ['quit']],
  ['\u0003\u0003', {}, ['quit']],
  ['x', { ctrl: true }, []],
  ['cy', {}, ['cancel', 'yes']],
  ['x', {}, []],
  ['a pasted text with cy in it', {}, []],
];
for (const [input, pressed, expected] of presses) {
  test(`${JSON.stringify(input)} ${Object.keys(pressed).join()} means ${expected.join(' ') || 'nothing'}`, () => {
    assert.equal(keysOf(input, { ...none, ...pressed }), expected);
  });
}

const three = [1, 5, 9].reduce(
  (state, id) => reduceWatch(state, { type: 'progress', job: progressRecord(id) }, 0),
  startWatch([1, 5, 9], 0),
);
const press = (state: WatchState, ...keys: readonly WatchKey[]): WatchState =>
  keys.reduce((now, key) => reduceWatch(now, { type: 'key', key }, 0), state);

const moves: readonly (readonly [readonly WatchKey[], number])[] = [
  [['up'], 0],
  [['down'], 1],
  [['down', 'down', 'down'], 2],
  [['last'], 2],
  [['last', 'up'], 1],
  [['last', 'first'], 0],
];
for (const [keys, selected] of moves) {
  test(`${keys.join(', ')} selects row ${selected}`, () => {
    assert.is(press(three, ...keys).selected, selected);
  });
}

test('enter opens and closes, escape closes', () => {
  assert.is(press(three, 'open').isOpen, true);
  assert.is(press(three, 'open', 'open').isOpen, false);
  assert.is(press(three, 'open', 'close').isOpen, false);
  assert.is(press(three, 'open', 'down').isOpen, true);
});

test('cancel and resubmit ask first, and only yes sends the command', () => {
  const order = { verb: 'cancel', jobId: 5 };
  assert.equal(press(three, 'down', 'cancel').footer, { kind: 'question', command: order });
  assert.equal(press(three, 'down', 'cancel', 'yes').footer, { kind: 'sending', command: order });
  assert.equal(press(three, 'down', 'cancel', 'no').footer, { kind: 'keys' });
  assert.equal(press(three, 'down', 'cancel', 'close').footer, { kind: 'keys' });
  assert.equal(press(three, 'down', 'cancel', 'up', 'resubmit').footer, { kind: 'question', command: order });
  assert.equal(press(three, 'yes').footer, { kind: 'keys' });
});

test('while a command is in flight no other is offered', () => {
  const sending = press(three, 'cancel', 'yes');
  assert.equal(press(sending, 'down', 'resubmit').footer, sending.footer);
});

test('a job that has ended cannot be cancelled, and a finished one cannot be resubmitted', () => {
  const ended = reduceWatch(three, { type: 'final', job: jobRecord(1) }, 0);
  assert.equal(press(ended, 'cancel').footer, {
    kind: 'message',
    text: 'Job 1 has ended and cannot be cancelled.',
  });
  assert.equal(press(ended, 'resubmit').footer, {
    kind: 'message',
    text: 'Job 1 is finished and cannot be resubmitted.',
  });
  assert.equal(press(ended, 'resubmit', 'down').footer, { kind: 'keys' });
});

test('quit leaves the screen, even during a question', () => {
  assert.is(press(three, 'quit').hasLeft, true);
  assert.is(press(three, 'cancel', 'quit').hasLeft, true);
});

test.run();
