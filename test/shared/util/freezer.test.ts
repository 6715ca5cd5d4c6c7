import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Freezer } from '../../../src/shared/util/freezer.js';
import { waitUntil } from '../../helpers/wait-until.js';

/** A freezer on a clock, and the signals that its programs were sent. */
function open() {
  const clock = { ms: 1000 };
  const sent: string[] = [];
  const freezer = new Freezer(() => clock.ms);
  return {
    clock,
    sent,
    freezer,
    add: (name: string) => freezer.add((signal) => sent.push(`${name} ${signal}`)),
  };
}

test('programs are stopped, those that start meanwhile too, and continue', () => {
  const { freezer, add, sent } = open();
  const { remove } = add('ended');
  add('one');
  remove();
  freezer.freeze();
  add('two');
  assert.equal(sent.splice(0), ['one SIGSTOP', 'two SIGSTOP']);
  assert.ok(freezer.isFrozen);
  freezer.thaw();
  assert.equal(sent, ['one SIGCONT', 'two SIGCONT']);
  assert.not.ok(freezer.isFrozen);
});

test('a pause of a run stops a program once it runs, a stop of the process at once', () => {
  const { freezer: ofProcess, sent } = open();
  const freezer = ofProcess.child();
  freezer.begin();
  const { markReady } = freezer.add((signal) => sent.push(signal));
  freezer.freeze();
  assert.equal(sent, []);
  markReady();
  markReady();
  assert.equal(sent.splice(0), ['SIGSTOP']);
  freezer.add((signal) => sent.push(`other ${signal}`));
  ofProcess.freeze();
  freezer.thaw();
  ofProcess.thaw();
  assert.equal(sent.splice(0), ['SIGCONT', 'other SIGCONT']);
  ofProcess.freeze();
  assert.equal(sent, ['SIGSTOP', 'other SIGSTOP']);
});

test('the clock stands still while programs are stopped', () => {
  const { freezer, clock } = open();
  clock.ms += 10;
  freezer.freeze();
  clock.ms += 500;
  freezer.freeze();
  assert.is(freezer.elapsedMs(), 1010);
  freezer.thaw();
  freezer.thaw();
  clock.ms += 5;
  assert.is(freezer.elapsedMs(), 1015);
});

test('a limit does not count the time in which programs are stopped', async () => {
  const { freezer, clock } = open();
  let isOver = false;
  freezer.startLimit(5, () => {
    isOver = true;
  });
  freezer.freeze();
  clock.ms += 3_600_000;
  freezer.thaw();
  clock.ms += 4;
  let ticks = 0;
  await waitUntil('timers have run', () => {
    ticks += 1;
    return ticks > 3;
  });
  assert.not.ok(isOver);
  clock.ms += 1;
  await waitUntil('the limit ends', () => isOver);
});

test('a limit that is refreshed counts from then, and one that is cleared never ends', async () => {
  const { freezer, clock } = open();
  let ended = '';
  const refreshed = freezer.startLimit(5, () => {
    ended += 'refreshed';
  });
  freezer
    .startLimit(1, () => {
      ended += 'cleared';
    })
    .clear();
  clock.ms += 4;
  refreshed.refresh();
  clock.ms += 4;
  freezer.startLimit(0, () => {
    ended += 'first ';
  });
  await waitUntil('a later limit ends', () => ended !== '');
  assert.is(ended, 'first ');
  clock.ms += 1;
  await waitUntil('the limit ends', () => ended === 'first refreshed');
});

test.run();
