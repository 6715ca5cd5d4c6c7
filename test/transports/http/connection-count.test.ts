import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectionCount } from '../../../daemon/transports/http/connection-count.js';

const megabyte = 1_000_000;

/** Observes a download every 50 ms; each step lasts so many seconds at so many megabytes per second. */
function downloadOf(
  steps: readonly { readonly connections: number; readonly speed: number; readonly seconds: number }[],
) {
  let now = 0;
  let bytes = 0;
  const count = new ConnectionCount(() => now);
  for (const { connections, speed, seconds } of steps) {
    for (let ms = 0; ms < seconds * 1_000; ms += 50) {
      now += 50;
      bytes += (speed * megabyte) / 20;
      count.observe(connections, bytes);
    }
  }
  return count.limit;
}

const one = { connections: 1, speed: 100, seconds: 0.7 };
const any = Number.POSITIVE_INFINITY;

test('two connections are tried on a fast link, and one remains if they are no faster', () => {
  assert.is(downloadOf([one]), 2);
  assert.is(downloadOf([one, { connections: 2, speed: 110, seconds: 0.9 }]), 2);
  assert.is(downloadOf([one, { connections: 2, speed: 110, seconds: 1.2 }]), 1);
  assert.is(downloadOf([one, { connections: 2, speed: 60, seconds: 1.2 }]), 1);
});

test('all connections are used if two are faster than one', () => {
  assert.is(downloadOf([one, { connections: 2, speed: 180, seconds: 1.2 }]), any);
});

test('all connections are used at once on a slow link, where they cost little', () => {
  assert.is(downloadOf([{ ...one, speed: 4 }]), any);
  assert.is(
    downloadOf([
      { ...one, speed: 4 },
      { connections: 5, speed: 4, seconds: 5 },
    ]),
    any,
  );
});

test('all connections are used if the one that remained is slower', () => {
  const trial = { connections: 2, speed: 110, seconds: 1.2 };
  const leaving = { connections: 2, speed: 20, seconds: 3 };
  assert.is(downloadOf([one, trial, leaving, { ...one, speed: 95, seconds: 5 }]), 1);
  const slow = [one, trial, leaving, { ...one, speed: 40, seconds: 1.3 }];
  assert.is(downloadOf(slow), any);
  assert.is(downloadOf([...slow, { connections: 5, speed: 40, seconds: 5 }]), any);
});

test('all connections are used at once if a server sends only the first megabytes fast', () => {
  const burst = { ...one, seconds: 0.2 };
  assert.is(downloadOf([burst]), 1);
  assert.is(downloadOf([burst, { ...one, speed: 4, seconds: 0.3 }]), any);
  const trial = { connections: 2, speed: 110, seconds: 0.5 };
  assert.is(downloadOf([one, trial]), 2);
  assert.is(downloadOf([one, trial, { ...trial, speed: 8, seconds: 0.3 }]), any);
});

test('a pause decides nothing', () => {
  const pause = { ...one, speed: 0, seconds: 0.1 };
  const trial = { connections: 2, speed: 110, seconds: 0.6 };
  assert.is(downloadOf([{ ...one, seconds: 0.3 }, pause, { ...one, seconds: 0.3 }]), 2);
  assert.is(downloadOf([one, trial, { ...trial, speed: 0, seconds: 0.1 }, { ...trial, seconds: 0.8 }]), 1);
});

test('all connections are used if a link on which one is enough becomes slow later', () => {
  const trial = { connections: 2, speed: 110, seconds: 1.3 };
  const fast = [one, trial, { ...one, seconds: 10 }];
  assert.is(downloadOf(fast), 1);
  assert.is(downloadOf([...fast, { ...one, speed: 10, seconds: 0.3 }]), any);
});

test('a download without a byte decides nothing', () => {
  assert.is(downloadOf([{ connections: 5, speed: 0, seconds: 5 }]), any);
});

test.run();
