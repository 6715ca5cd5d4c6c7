import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requiredLabels } from '../../daemon/jobs/required-labels.js';

const cases: readonly (readonly [name: string, found: readonly string[], expected: readonly string[]])[] = [
  ['a job without labels', requiredLabels({}), []],
  [
    'labels of the job, sorted, each once',
    requiredLabels({ requires: ['zone-2', 'gpu', 'gpu'] }),
    ['gpu', 'zone-2'],
  ],
  ['services whose keys it uses', requiredLabels({ requires: ['a'], services: ['s3'] }), ['a', 'service:s3']],
];

for (const [name, found, expected] of cases) {
  test(`required labels: ${name}`, () => {
    assert.equal(found, expected);
  });
}

test.run();
