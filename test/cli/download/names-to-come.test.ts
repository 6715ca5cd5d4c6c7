import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { namesToCome } from '../../../src/cli/download/names-to-come.js';

const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['nothing', {}, []],
  ['a list', { outputs: [{ filename: 'a.mp4' }, {}, { filename: 'b/c.mp4' }] }, ['a.mp4', 'c.mp4']],
  ['one', { output: { filename: 'a.mp4' } }, ['a.mp4']],
  [
    'places of the client',
    { outputs: [{ filename: 'a.mp4', base_url: 's3://b/' }, { url: 's3://b/c' }] },
    [],
  ],
  ['nonsense', { outputs: [null, 3, { filename: 4 }] }, []],
];

for (const [what, request, names] of cases) {
  test(`names to come: ${what}`, () => {
    assert.equal(namesToCome(request as Record<string, unknown>), names);
  });
}

test.run();
