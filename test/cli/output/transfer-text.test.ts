import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { transferText } from '../../../src/cli/terminal/progress-display.js';

test('speed and time left are shown from the second report on, without bytes that were there before', () => {
  let now = 1000;
  const text = transferText(() => now);
  assert.is(text(40e6, 100e6), '40.0 MB of 100 MB');
  now += 1000;
  assert.is(text(50e6, 100e6), '50.0 MB of 100 MB, 10.0 MB/s, 5.0s left');
  now += 1000;
  assert.is(text(60e6, 100e6), '60.0 MB of 100 MB, 10.0 MB/s, 4.0s left');
});

test('a complete transfer has no time left', () => {
  let now = 0;
  const text = transferText(() => now);
  text(0, 10e6);
  now += 1000;
  assert.is(text(10e6, 10e6), '10.0 MB of 10.0 MB, 10.0 MB/s');
});

test('without a known size, only the speed is shown', () => {
  let now = 0;
  const text = transferText(() => now);
  text(0, null);
  now += 500;
  assert.is(text(1e6, null), '1.0 MB, 2.0 MB/s');
});

test('a change of speed is adopted slowly', () => {
  let now = 0;
  const text = transferText(() => now);
  text(0, 100e6);
  now += 1000;
  text(10e6, 100e6);
  now += 200;
  assert.match(text(10e6, 100e6), /9\.\d MB\/s/);
});

test.run();
