import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Run } from '../../daemon/jobs/run.js';
import { withTaskGroup } from '../../daemon/pipeline/stages.js';
import { settleEventLoop } from '../helpers/wait-until.js';
import { jobIn } from '../jobs/sample-job.js';

/** A run without work, and the controller that stops it. */
function idleRun(): { readonly run: Run; readonly stopping: AbortController } {
  const stopping = new AbortController();
  const job = jobIn({ job: 'processing', input: 'finished', outputs: ['processing'] });
  const run: Run = {
    job,
    signal: stopping.signal,
    change: async () => job,
    progress: () => {},
    whileWaiting: (turn) => turn,
  };
  return { run, stopping };
}

const untilStopped = (run: Run) =>
  new Promise<void>((_, reject) =>
    run.signal.addEventListener('abort', () => reject(run.signal.reason), { once: true }),
  );

test('it ends when the work and all spawned tasks have ended', async () => {
  const { run } = idleRun();
  let release = () => {};
  let isOver = false;
  const all = withTaskGroup(run, async (_, begin) => {
    begin(() => new Promise<void>((resolve) => (release = resolve)));
  }).then(() => {
    isOver = true;
  });
  await settleEventLoop(async () => {});
  assert.not(isOver);
  release();
  await all;
});

test('an error of a spawned task stops the work and is rethrown', async () => {
  const { run } = idleRun();
  const broken = new Error('broken');
  const all = withTaskGroup(run, async (own, begin) => {
    begin(() => Promise.reject(broken));
    await untilStopped(own);
  });
  await all.then(
    () => assert.unreachable(),
    (error) => assert.is(error, broken),
  );
  assert.not(run.signal.aborted);
});

test('an error of the work stops the spawned tasks and waits for them', async () => {
  const { run } = idleRun();
  let hasLetGo = false;
  const all = withTaskGroup(run, async (_, begin) => {
    begin(async (own) => {
      await untilStopped(own).catch(() => {});
      await settleEventLoop(async () => {});
      hasLetGo = true;
    });
    throw new Error('broken');
  });
  await all.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'broken'),
  );
  assert.ok(hasLetGo);
});

test('a stopped run stops all tasks with its own reason', async () => {
  const { run, stopping } = idleRun();
  const all = withTaskGroup(run, async (own, begin) => {
    begin(untilStopped);
    await untilStopped(own);
  });
  stopping.abort('cancelled');
  await all.then(
    () => assert.unreachable(),
    (reason) => assert.is(reason, 'cancelled'),
  );
});

test.run();
