import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ColumnSpec, columnGap, fitColumns } from '../../src/tui/fit-columns.js';
import { bar, clock, fpsText, percentText, sizeText, speedText } from '../../src/tui/format.js';
import { allocateRows, type RowAllocation, windowAround } from '../../src/tui/frame-plan.js';
import { createUnknownJob, sanitize, withNames } from '../../src/tui/watched-job.js';
import { jobRecord } from './records.js';

const columns: readonly ColumnSpec<'a' | 'b' | 'c'>[] = [
  { name: 'a', minWidth: 4, maxWidth: 4, priority: 3 },
  { name: 'b', minWidth: 6, maxWidth: 20, priority: 1 },
  { name: 'c', minWidth: 5, maxWidth: 10, priority: 2 },
];

const fits: readonly (readonly [number, Record<string, number>])[] = [
  [60, { a: 4, b: 20, c: 10 }],
  [25, { a: 4, b: 9, c: 10 }],
  [17, { a: 4, b: 6, c: 5 }],
  [16, { a: 4, c: 10 }],
  [9, { a: 4 }],
  [2, { a: 2 }],
];
for (const [width, expected] of fits) {
  test(`${width} cells hold ${Object.keys(expected).join(', ')}`, () => {
    const fitted = fitColumns(columns, width);
    assert.equal(Object.fromEntries(fitted.map(({ name, width: cells }) => [name, cells])), expected);
    const sum = fitted.reduce((all, column) => all + column.width, (fitted.length - 1) * columnGap);
    assert.ok(sum <= width);
  });
}

test('space that is left goes to the column of the highest rank', () => {
  const ranked = columns.map((column) => (column.name === 'b' ? { ...column, growthPriority: 9 } : column));
  assert.equal(fitColumns(ranked, 25), [
    { name: 'a', width: 4 },
    { name: 'b', width: 14 },
    { name: 'c', width: 5 },
  ]);
});

test('the assigned rows never exceed the screen, and the selected job always has one', () => {
  for (let rows = 1; rows < 60; rows += 1) {
    for (const jobs of [1, 2, 10, 50]) {
      for (const details of [0, 2, 30]) {
        for (const log of [0, 1, 50]) {
          const shared: RowAllocation = allocateRows(rows, { jobs, details, log });
          const used = shared.jobs + shared.details + shared.log + (shared.log > 0 ? 1 : 0);
          assert.ok(used <= rows, `${used} of ${rows} for ${jobs}, ${details}, ${log}`);
          assert.ok(shared.jobs >= 1);
        }
      }
    }
  }
});

test('a list that is too long is shown around the selected row', () => {
  assert.equal(windowAround(0, 10, 4), { from: 0, to: 4 });
  assert.equal(windowAround(5, 10, 4), { from: 3, to: 7 });
  assert.equal(windowAround(9, 10, 4), { from: 6, to: 10 });
  assert.equal(windowAround(1, 2, 4), { from: 0, to: 2 });
});

test('durations, speeds and percentages are short', () => {
  assert.equal([0, 7_900, 750_000, 3_723_000].map(clock), ['0:00', '0:07', '12:30', '1:02:03']);
  assert.equal([0.421, 3.14, 58.2].map(speedText), ['0.42x', '3.1x', '58x']);
  assert.equal([4.25, 24.4].map(fpsText), ['4.3 fps', '24 fps']);
  assert.equal([0, 999, 12_345, 12_345_678, 1_234_567_890].map(sizeText), [
    '0 B',
    '999 B',
    '12 kB',
    '12.3 MB',
    '1.23 GB',
  ]);
  assert.equal([0, 99.99, 100].map(percentText), ['0%', '99%', '100%']);
});

test('a bar keeps its width at every percentage', () => {
  assert.is(bar(50, 8), '████░░░░');
  assert.is(bar(50, 5), '██▌░░');
  assert.is(bar(99.9, 2), '█▉');
  assert.is(bar(-3, 4), '░░░░');
  assert.is(bar(120, 4), '████');
});

test('a name is the decoded last part of an address, without characters that move the cursor', () => {
  const nameOf = (url: string) => withNames(createUnknownJob(1), jobRecord(1, {}, { url })).names.get(2);
  assert.is(nameOf('http://h/a/my%20film.mp4?sig=1#x'), 'my film.mp4');
  assert.is(nameOf('file:///films/a%1b[2J.mp4'), 'a\\x1b[2J.mp4');
  assert.is(nameOf('http://h/bad%zz.mp4'), 'bad%zz.mp4');
  assert.is(sanitize('a\tb\u0000\u009bc'), 'a\\x09b\\x00\\x9bc');
});

test.run();
