import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { alternate, type Figure, isMet, ratiosOf, spreadOf, tableOf } from '../../bench/measure.js';

test('cases are measured in turn, every second round in reverse order, after an uncounted warm-up round', async () => {
  const order: string[] = [];
  const thing = (name: string) => async () => order.push(name);
  const samples = await alternate(2, { a: thing('a'), b: thing('b') });
  assert.is(order.join(' '), 'a b a b b a');
  assert.equal(samples, { a: [3, 6], b: [4, 5] });
});

test('the spread is the median with its quartiles', () => {
  assert.equal(spreadOf([5, 1, 3, 2, 4]), { median: 3, low: 2, high: 4 });
  assert.equal(spreadOf([1, 2]), { median: 1.5, low: 1.25, high: 1.75 });
});

test('invalid samples fail the measurement', () => {
  assert.throws(() => spreadOf([]), /no valid samples/);
  assert.throws(() => spreadOf([1, Number.NaN]), /no valid samples/);
  assert.throws(() => spreadOf(ratiosOf([1, 2], [1])), /no valid samples/);
});

test('ratios are computed per round', () => {
  assert.equal(ratiosOf([2, 9], [1, 3]), [2, 3]);
});

const figure: Figure = {
  name: 'a job',
  unit: 'x',
  value: { median: 1.049, low: 1, high: 1.1 },
  atMost: 1.05,
  basis: '2 s',
};

test('a target includes its exact value, and a figure without a target is neither met nor missed', () => {
  assert.is(isMet(figure), true);
  assert.is(isMet({ ...figure, value: { ...figure.value, median: 1.05 } }), true);
  assert.is(isMet({ ...figure, value: { ...figure.value, median: 1.051 } }), false);
  assert.is(isMet({ ...figure, atMost: null }), null);
});

test('for some figures more is better, and their target is a minimum', () => {
  const rate: Figure = { ...figure, atMost: null, atLeast: 1.05 };
  assert.is(isMet(rate), false);
  assert.is(isMet({ ...rate, value: { ...rate.value, median: 1.05 } }), true);
  assert.match(tableOf([rate]), />= 1\.05 {2}missed/);
});

test('the table is aligned and shows whether targets are met', () => {
  const megabytes: Figure = { ...figure, name: 'memory', unit: 'MB', atMost: 1 };
  assert.is(
    tableOf([figure, megabytes, { ...figure, name: 'to be known', unit: 'ms', atMost: null }]),
    [
      'figure       median    quartiles    target           in numbers',
      'a job        1.05 x    1.00-1.10    <= 1.05  met     2 s',
      'memory       1.0 MB    1.0-1.1      <= 1.0   missed  2 s',
      'to be known  1.049 ms  1.000-1.100                   2 s',
    ].join('\n'),
  );
});

test.run();
