import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job, JobOutput } from '../../daemon/jobs/job.js';
import { usageOf } from '../../daemon/jobs/usage.js';
import { draftWith, mediaOf } from '../contracts/job-store/store-facts.js';

const test = suite('the usage of a job');

/** A new job with the given outputs. */
function jobWith(outputs: readonly Partial<JobOutput>[], options: Partial<Job> = {}): Job {
  const job = draftWith({ outputCount: outputs.length }).number(1);
  return {
    ...job,
    ...options,
    outputs: job.outputs.map((output, index) => ({ ...output, ...outputs[index] })),
  };
}

const finished = (finishedAt: string, durationSeconds: number | null): Partial<JobOutput> => ({
  state: 'finished',
  finishedAt,
  media: mediaOf(durationSeconds),
});

const evening = '2024-05-06T23:59:59.999Z';
const midnight = '2024-05-07T00:00:00.000Z';

const cases: Readonly<Record<string, { job: Job; expected: ReturnType<typeof usageOf> }>> = {
  'a job without finished outputs adds nothing': {
    job: jobWith([{ state: 'failed', finishedAt: evening }, { state: 'processing' }, { state: 'no input' }]),
    expected: [],
  },
  'an unknown duration, or 0, adds nothing': {
    job: jobWith([finished(evening, null), finished(evening, 0), { ...finished(evening, 1), media: null }]),
    expected: [],
  },
  'outputs of one day are added up, each rounded to milliseconds': {
    job: jobWith([finished(evening, 1.0004), finished(evening, 2.0004), finished(evening, 0.0005)]),
    expected: [{ day: '2024-05-06', grouping: null, encodedMs: 3001, billableMs: 3001 }],
  },
  'each output counts on the day it finished, independent of the job': {
    job: jobWith([finished(evening, 1), finished(midnight, 2)], {
      finishedAt: '2024-06-01T00:00:00.000Z',
      grouping: 'news',
    }),
    expected: [
      { day: '2024-05-06', grouping: 'news', encodedMs: 1000, billableMs: 1000 },
      { day: '2024-05-07', grouping: 'news', encodedMs: 2000, billableMs: 2000 },
    ],
  },
  'finished outputs of a failed job count': {
    job: jobWith([finished(evening, 1), { state: 'failed', finishedAt: midnight }], { state: 'failed' }),
    expected: [{ day: '2024-05-06', grouping: null, encodedMs: 1000, billableMs: 1000 }],
  },
  'a test job is not billable': {
    job: jobWith([finished(evening, 5)], { test: true }),
    expected: [{ day: '2024-05-06', grouping: null, encodedMs: 5000, billableMs: 0 }],
  },
};

for (const [name, { job, expected }] of Object.entries(cases)) {
  test(name, () => assert.equal(usageOf(job), expected));
}

test.run();
