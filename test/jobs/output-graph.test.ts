import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { sourcesToMakeAgain } from '../../daemon/jobs/output-graph.js';
import { failUnfinished } from '../../daemon/queue/job-run.js';
import type { OutputState } from '../../src/shared/states.js';
import { changedAt, file, jobIn, media, sampleFailure, statesOf } from './sample-job.js';

/** A job with the outputs 9, 10 and 11: each is the source of the next. */
function chain(outputs: readonly OutputState[], input: Job['input']['state'] = 'finished'): Job {
  const job = jobIn({ job: 'processing', input, outputs });
  return {
    ...job,
    outputs: job.outputs.map((output, index) => ({
      ...output,
      settings: index === 0 ? output.settings : { ...output.settings, source: `output ${index - 1}` },
    })),
  };
}

const after = (job: Job, ...changes: readonly Change[]) =>
  changes.reduce((changed, change) => apply(changed, change, changedAt), job);

const cases: readonly (readonly [string, Job, Change, Job['state'], readonly OutputState[]])[] = [
  [
    'an inspected input queues only outputs without a source',
    chain(['waiting', 'waiting', 'waiting'], 'processing'),
    { type: 'inspected', media, file },
    'processing',
    ['queued', 'waiting', 'waiting'],
  ],
  [
    'a complete source queues its dependent',
    chain(['processing', 'waiting', 'waiting']),
    { type: 'output-queued', id: 10 },
    'processing',
    ['processing', 'queued', 'waiting'],
  ],
  [
    'a failed source ends all that wait for it',
    chain(['processing', 'waiting', 'waiting']),
    { type: 'output-failed', id: 9, failure: sampleFailure },
    'failed',
    ['failed', 'no input', 'no input'],
  ],
  [
    'a source that was made and not delivered does not end its dependents',
    chain(['processing', 'queued', 'waiting']),
    { type: 'output-failed', id: 9, failure: sampleFailure },
    'processing',
    ['failed', 'queued', 'waiting'],
  ],
  [
    'a skipped source skips all that wait for it',
    chain(['queued', 'waiting', 'waiting']),
    { type: 'output-skipped', id: 9, reason: 'It is too short.' },
    'finished',
    ['skipped', 'skipped', 'skipped'],
  ],
  [
    'a source that is made again and fails ends its dependents',
    chain(['finished', 'waiting', 'waiting']),
    { type: 'source-failed', id: 10, failure: sampleFailure },
    'failed',
    ['finished', 'no input', 'no input'],
  ],
  [
    'a lost run resets the dependents to waiting',
    chain(['finished', 'queued', 'waiting']),
    { type: 'lost' },
    'waiting',
    ['finished', 'waiting', 'waiting'],
  ],
];

for (const [name, job, change, state, outputs] of cases) {
  test(name, () => {
    const changed = after(job, change);
    assert.equal([changed.state, statesOf(changed).outputs], [state, outputs]);
  });
}

test('the failure of a dependent names the source that failed first', () => {
  const { outputs } = after(chain(['processing', 'waiting', 'waiting']), {
    type: 'output-failed',
    id: 9,
    failure: sampleFailure,
  });
  for (const { failure } of outputs.slice(1)) {
    assert.is(failure?.errorClass, 'SourceFailedError');
    assert.match(failure?.message ?? '', /output 0/);
  }
});

test('an output without a source is not queued by another output, and none before its input', () => {
  const early = chain(['waiting', 'waiting', 'waiting'], 'processing');
  assert.throws(() => after(early, { type: 'output-queued', id: 10 }), /not legal/);
  assert.throws(
    () => after(chain(['waiting']), { type: 'output-skipped', id: 9, reason: 'It is too short.' }),
    /not legal/,
  );
});

test('only ended sources of unfinished outputs are made again', () => {
  const again = (...states: OutputState[]) => [...sourcesToMakeAgain(chain(states).outputs)].toSorted();
  assert.equal(again('finished', 'finished', 'finished'), []);
  assert.equal(again('queued', 'waiting', 'waiting'), []);
  assert.equal(again('finished', 'finished', 'waiting'), [10, 9]);
  assert.equal(again('failed', 'waiting', 'waiting'), [9]);
});

test('a broken run ends the outputs that wait for a source', () => {
  for (const states of [
    ['processing', 'waiting', 'waiting'],
    ['finished', 'waiting', 'waiting'],
    ['finished', 'processing', 'waiting'],
  ] as const) {
    const failed = failUnfinished(chain(states), 'token', sampleFailure, changedAt);
    assert.is(failed.state, 'failed');
  }
});

test.run();
