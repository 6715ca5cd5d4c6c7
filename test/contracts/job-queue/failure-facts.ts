import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { Run } from '../../../daemon/jobs/run.js';
import { VencError } from '../../../src/shared/errors.js';
import { finishAll, sampleDraft, sampleFile, sampleMedia } from '../../helpers/sample-job.js';
import { waitUntil } from '../../helpers/wait-until.js';
import type { QueueContext, QueueFacts } from './queue-facts.js';

/** Runs a job with two outputs and returns the resulting job. */
async function runWith(context: QueueContext, action: (run: Run) => Promise<unknown>): Promise<Job> {
  const { store, queue, fixture } = context;
  const { id } = await store.create(sampleDraft(2));
  queue.work(fixture.handler, { slots: 1 });
  await queue.enqueue(sampleDraft().number(id));
  await (await fixture.next()).end(action);
  await waitUntil('the run has ended', () => !queue.isRunning(id));
  const job = await store.get(id);
  if (job === null) throw new Error('the job is gone');
  return job;
}

/** Handlers that throw or return too early. */
export const failureFacts: QueueFacts = {
  'a handler that throws before the input is ready fails the input': async (context) => {
    const job = await runWith(context, async () => {
      throw new Error('bang');
    });
    assert.is(job.state, 'failed');
    assert.is(job.claim, null);
    assert.equal(job.input.failure, { errorClass: 'DownloadFailureError', message: 'bang' });
    assert.equal(
      job.outputs.map(({ state }) => state),
      ['no input', 'no input'],
    );
  },

  'a handler that throws later fails only the unfinished outputs': async (context) => {
    const job = await runWith(context, async (run) => {
      const [first] = run.job.outputs;
      await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
      await run.change({ type: 'output-started', id: first?.id ?? 0 });
      await run.change({ type: 'output-finished', id: first?.id ?? 0, media: sampleMedia, file: sampleFile });
      throw new VencError('UploadFailureError', 'The server is down.');
    });
    assert.is(job.state, 'failed');
    assert.is(job.input.state, 'finished');
    assert.equal(
      job.outputs.map(({ state, failure }) => [state, failure?.errorClass]),
      [
        ['finished', undefined],
        ['failed', 'UploadFailureError'],
      ],
    );
  },

  'an error class that inputs cannot have becomes DownloadFailureError': async (context) => {
    const job = await runWith(context, async () => {
      throw new VencError('NotFoundError', 'There is no such job.');
    });
    assert.equal(job.input.failure, { errorClass: 'DownloadFailureError', message: 'There is no such job.' });
  },

  'a failure message contains no secret': async (context) => {
    const job = await runWith(context, async () => {
      throw new Error('cannot reach ftp://user:secret@host/in.mp4');
    });
    assert.is(job.input.failure?.message, 'cannot reach ftp://user:***@host/in.mp4');
  },

  'a handler that returns before the job is final fails the job': async (context) => {
    const job = await runWith(context, async (run) => {
      await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
    });
    assert.is(job.state, 'failed');
    assert.equal(
      job.outputs.map(({ failure }) => failure?.errorClass),
      ['TranscodingError', 'TranscodingError'],
    );
  },

  'a handler that throws after the job finished leaves it finished': async (context) => {
    const job = await runWith(context, async (run) => {
      await finishAll(run);
      throw new Error('cannot tidy up');
    });
    assert.is(job.state, 'finished');
  },

  'the next job runs after a handler throws': async ({ store, queue, fixture }) => {
    const ids = [(await store.create(sampleDraft())).id, (await store.create(sampleDraft())).id];
    for (const id of ids) await queue.enqueue(sampleDraft().number(id));
    queue.work(fixture.handler, { slots: 1 });
    await (await fixture.next()).end(() => Promise.reject(new Error('bang')));
    const next = await fixture.next();
    assert.is(next.run.job.id, ids[1]);
    await next.end(finishAll);
    assert.is((await store.get(next.run.job.id))?.state, 'finished');
  },

  'a handler that throws synchronously fails the job': async ({ store, queue }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(
      () => {
        throw new Error('bang');
      },
      { slots: 1 },
    );
    await queue.enqueue(sampleDraft().number(id));
    await waitUntil('the job has failed', async () => (await store.get(id))?.state === 'failed');
  },
};
