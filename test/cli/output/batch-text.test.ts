import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchActivity, batchLine, batchSummary } from '../../../src/cli/output/batch-text.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';
import { displayWidth } from '../../../src/shared/text/display-width.js';

const batch = { count: 35, done: 12, failed: 2, percent: 45.25, speed: 4.72, secondsLeft: 725 };

const lines: readonly (readonly [number, string])[] = [
  [199, '[#########-----------]  45.2% 12 of 35, 2 failed, 4.7x, 12m 05s left, a film, with commas.mov'],
  [79, '[#########-----------]  45.2% 12 of 35, 2 failed, 4.7x, 12m 05s left'],
  [60, '[####------]  45.2% 12 of 35, 2 failed, 4.7x, 12m 05s left'],
  [52, '[####------]  45.2% 12 of 35, 2 failed, 12m 05s left'],
  [39, ' 45.2% 12 of 35, 2 failed, 12m 05s left'],
  [30, ' 45.2% 12 of 35, 2 failed'],
  [20, ' 45.2% 12 of 35'],
  [10, ' 45.2%'],
  [3, ''],
];

for (const [columns, line] of lines) {
  test(`the line of a batch within ${columns} columns shows the most important values`, () => {
    assert.is(batchLine(batch, 'a film, with commas.mov', columns), line);
  });
}

test('no line of a batch is wider than the terminal, also with wide names', () => {
  for (let columns = 1; columns < 120; columns += 1)
    assert.ok(displayWidth(batchLine(batch, '映画\u001b[31m.mov', columns)) <= columns, String(columns));
});

test('plain lines have all values; unknown ones are left out', () => {
  assert.is(batchActivity(batch, 'a.mov'), '12 of 35, 2 failed, 4.7x, 12m 05s left, a.mov');
  assert.is(batchActivity({ ...batch, failed: 0, speed: null, secondsLeft: null }, ''), '12 of 35');
});

test('a summary has the totals, each failed file with its reason, and the command that repeats these', () => {
  const job = normaliseJob({
    id: 1,
    state: 'finished',
    input_media_file: { id: 2, file_size_bytes: 8_100_000_000 },
    output_media_files: [
      { id: 3, state: 'finished', file_size_bytes: 3_200_000_000 },
      { id: 4, state: 'skipped', file_size_bytes: null },
    ],
  });
  const failures = [
    { name: 'bad.mov', reason: 'NoMediaError: The file is empty.' },
    { name: 'a b\u001b.mov', reason: 'It cannot be read.' },
  ];
  const repeat = ['venc', 'run', '--width', '640', 'bad.mov', 'a b\u001b.mov'];
  assert.is(
    batchSummary({ count: 3, finished: [job], failures, seconds: 2470, repeat }),
    `venc: 1 of 3, 2 failed, 8.1 GB to 3.2 GB (40%), 41m 10s
venc:   bad.mov: NoMediaError: The file is empty.
venc:   a b\\x1b.mov: It cannot be read.
venc: to repeat only these: venc run --width 640 bad.mov 'a b'"$(printf '\\033')"'.mov'
`,
  );
  const whole = batchSummary({ count: 1, finished: [job], failures: [], seconds: 9, repeat: null });
  assert.is(whole, 'venc: 1 of 1, 8.1 GB to 3.2 GB (40%), 9.0s\n');
});

test.run();
