import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { barLine } from '../../../src/cli/terminal/progress-bar.js';
import { displayWidth } from '../../../src/shared/text/display-width.js';

const activity = 'transcoding, 118 fps, 4.7x, 12s left';

const lines: readonly (readonly [number, string])[] = [
  [79, `job 12 [#########-----------]  45.2% ${activity}`],
  [70, 'job 12 [#########-----------]  45.2% transcoding, 118 fps, 12s left'],
  [60, 'job 12 [#########-----------]  45.2% transcoding, 12s left'],
  [40, 'job 12 [####------]  45.2% 12s left'],
  [30, 'job 12  45.2% 12s left'],
  [20, 'job 12  45.2%'],
];

for (const [columns, line] of lines) {
  test(`a bar within ${columns} columns shows the most important values`, () => {
    assert.is(barLine({ title: 'job 12', percent: 45.2, activity }, columns), line);
  });
}

test('all values of a transfer fit in 80 columns', () => {
  const facts = { title: 'film.mp4', percent: 25, activity: '12.7 MB of 50.0 MB, 3.2 MB/s, 13s left' };
  assert.ok(barLine(facts, 79).endsWith(facts.activity));
});

test('a bar of a file with a long name stays within its columns, for any width', () => {
  const title = `${'東京'.repeat(60)}.mov`;
  for (let columns = 20; columns <= 120; columns += 1) {
    const line = barLine({ title, percent: 100, activity: '1.0 GB of 1.0 GB, 3.2 MB/s' }, columns);
    assert.ok(displayWidth(line) <= columns, `${columns}: ${line}`);
    assert.match(line, '100%');
  }
});

test.run();
