import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseStartTicks } from '../../../src/shared/util/lock/lock-holder.js';

/** A line as Linux writes it: pid, name, state, and 18 fields before the start time. */
const stat = (name: string, state: string) =>
  `42 (${name}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(' ')} 987654 1 2 3`;

for (const name of ['ffmpeg', 'two words', 'odd) R 1 2', '']) {
  test(`the name "${name}" does not shift the fields`, () =>
    assert.is(parseStartTicks(stat(name, 'S')), '987654'));
}

for (const state of ['Z', 'X']) {
  test(`a process in state ${state} counts as ended`, () =>
    assert.is(parseStartTicks(stat('ffmpeg', state)), null));
}

test('an invalid line gives null', () => {
  assert.is(parseStartTicks(''), null);
  assert.is(parseStartTicks('42 (ffmpeg) S 1 2'), null);
});

if (process.platform === 'linux') {
  test('the start time of this process is before now, by the clock of the system', () => {
    const ticks = Number(parseStartTicks(readFileSync('/proc/self/stat', 'utf8')));
    const upSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    assert.ok(ticks > 0 && ticks / 100 <= upSeconds + 1, `${ticks} ${upSeconds}`);
  });
}

test.run();
