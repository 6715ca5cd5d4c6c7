import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import type { Run } from '../../daemon/jobs/run.js';
import { planBatch } from '../../daemon/pipeline/encode-outputs.js';
import type { PipelineContext } from '../../daemon/pipeline/pipeline-context.js';
import { changedAt, jobIn, sampleFailure, statesOf } from '../jobs/sample-job.js';

/** A job whose second output is only transferred, and a run that applies its changes. */
function transferringRun(): { readonly run: Run; readonly current: () => Job } {
  const sample = jobIn({ job: 'processing', input: 'finished', outputs: ['queued', 'queued'] });
  let job: Job = {
    ...sample,
    outputs: sample.outputs.map((output, index) =>
      index === 1 ? { ...output, settings: { type: 'transfer-only' } } : output,
    ),
  };
  const change = async (made: Change) => {
    job = apply(job, made, changedAt);
    return job;
  };
  const signal = new AbortController().signal;
  return {
    run: { job, signal, change, progress: () => {}, whileWaiting: (turn) => turn },
    current: () => job,
  };
}

test('from a file that is not media nothing is encoded, and its transfers remain', async () => {
  const { run, current } = transferringRun();
  const context = {} as PipelineContext;
  const source = { path: 'input', file: null, media: null, failure: sampleFailure };
  const withEncoder = <T>(work: () => Promise<T>) => work();
  const requestedFiles = {
    fetchWatermarks: async () => [],
    readCaptionFiles: async () => [],
    readKey: async () => ({ key: null }),
    readAttached: async () => ({}),
  };
  const options = { outputs: run.job.outputs, scratch: 'scratch', requestedFiles, withEncoder };
  const batch = await planBatch(run, context, source, options);
  assert.is(batch.groups.length, 0);
  assert.equal(statesOf(current()), {
    job: 'processing',
    input: 'finished',
    outputs: ['failed', 'queued'],
  });
  assert.equal(current().outputs[0]?.failure, sampleFailure);
});

test.run();
