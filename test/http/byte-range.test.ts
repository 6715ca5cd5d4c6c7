import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readByteRange } from '../../daemon/http/file-reply.js';

const cases: readonly (readonly [string | undefined, ReturnType<typeof readByteRange>])[] = [
  [undefined, null],
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=10-19', { first: 10, last: 19 }],
  ['Bytes=10-19', { first: 10, last: 19 }],
  ['bytes=10-', { first: 10, last: 99 }],
  ['bytes=90-500', { first: 90, last: 99 }],
  ['bytes=-5', { first: 95, last: 99 }],
  ['bytes=-500', { first: 0, last: 99 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=5-2', null],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  ['items=0-1', null],
];

for (const [header, expected] of cases) {
  test(`the range ${header} of 100 bytes is ${JSON.stringify(expected)}`, () => {
    assert.equal(readByteRange(header, 100), expected);
  });
}

test('an empty file has no range', () => {
  assert.is(readByteRange('bytes=0-', 0), 'unsatisfiable');
});

test.run();
