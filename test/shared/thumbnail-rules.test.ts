import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

/** The settings of one set, or several sets, and the beginning of each error and the field of each warning. */
const cases: readonly {
  readonly thumbnails: unknown;
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
}[] = [
  { thumbnails: { number: 3, format: 'JPEG', filename: 'a/{{ Padded-Number }}' } },
  { thumbnails: { filename: 'still' } },
  { thumbnails: { filename: 'still', times: 4 } },
  { thumbnails: { filename: '{{label}}', times: [4] } },
  { thumbnails: { filename: 'still', number: 2 }, errors: ['filename must have {{number}}'] },
  { thumbnails: { filename: 'still', interval: 5 }, errors: ['filename must have {{number}}'] },
  { thumbnails: { filename: 'still', times: [1, 2] }, errors: ['filename must have {{number}}'] },
  { thumbnails: { filename: '{{numbers}}' }, errors: ['filename has an unknown placeholder'] },
  { thumbnails: { filename: '{{number}' }, errors: ['filename has an unknown placeholder'] },
  { thumbnails: { filename: 'x{{number}}{{' }, errors: ['filename has an unknown placeholder'] },
  { thumbnails: { filename: '../{{number}}' }, errors: ['filename must not have'] },
  { thumbnails: { prefix: 'a/b' }, errors: ['prefix must be a part of a file name'] },
  { thumbnails: { prefix: '..' }, errors: ['prefix must be a part of a file name'] },
  { thumbnails: { interval: 0 }, errors: ['interval must be a number'] },
  { thumbnails: { times: Array(501).fill(1) }, errors: ['times must have at most 500'] },
  { thumbnails: [{ label: 'a' }, { label: 'a' }], errors: ['label must be unique'] },
  { thumbnails: { number: 2, interval: 3 }, warnings: ['number'] },
  {
    thumbnails: { number: 2, interval: 3, interval_in_frames: 5, times: [1] },
    warnings: ['interval_in_frames', 'interval', 'number'],
  },
  { thumbnails: { prefix: 'a', filename: '{{number}}' }, warnings: ['prefix'] },
  { thumbnails: { size: '320x180', width: 320 } },
  { thumbnails: { size: '320x180', width: 300, height: 180 }, warnings: ['width'] },
  { thumbnails: { times: [1], start_at_first_frame: 1 }, warnings: ['start_at_first_frame'] },
  { thumbnails: { nmuber: 3 }, warnings: ['nmuber'] },
];

for (const { thumbnails, errors = [], warnings = [] } of cases) {
  const shown = JSON.stringify(thumbnails).slice(0, 90);
  test(`thumbnails ${shown} have ${errors.length} errors and ${warnings.length} warnings`, () => {
    const fieldOf = (text: string) => text.replace(/^outputs\[0\]\.thumbnails(\[\d\])?\./, '');
    const parse = (strict: boolean) =>
      parseJobRequest({ input: 'http://x/a', outputs: [{ thumbnails, strict }] }, { maxOutputs: 1 });
    const result = parse(false);
    const found = result.ok ? [] : result.validationErrors.map(fieldOf);
    assert.is(found.length, errors.length, found.join('\n'));
    for (const [index, start] of errors.entries()) assert.ok(found[index]?.startsWith(start), found[index]);
    assert.equal(result.warnings.map(({ field }) => fieldOf(field)).toSorted(), [...warnings].toSorted());
    assert.is(parse(true).ok, errors.length + warnings.length === 0, 'strict');
  });
}

test.run();
