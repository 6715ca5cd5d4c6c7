import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAdvisoryChecks } from '../../daemon/app/advisory-checks.js';
import type { JobListener } from '../../daemon/store/job-store.js';

/** Advisory checks with a clock, a queue and a store that the test controls. */
function createChecks() {
  const state = {
    ms: 0,
    waiting: 0,
    running: [] as number[],
    maxEncodes: 1 as number | null,
    sandboxProblem: null as string | null,
  };
  let change: JobListener = () => {};
  const checks = createAdvisoryChecks({
    store: {
      list: async () => ({ jobs: [], total: state.waiting }),
      watch(listener) {
        change = listener;
        return () => {};
      },
    },
    queue: { running: () => state.running },
    maxEncodes: () => state.maxEncodes,
    sandboxProblem: () => state.sandboxProblem,
    elapsedMs: () => state.ms,
  });
  const reasonOf = async (name: string) =>
    (await checks.results()).find((result) => result.name === name)?.reason ?? null;
  return { state, checks, reasonOf, change: () => change({} as never, null) };
}

const test = suite('advisory checks');

test('jobs that wait while none runs are reported after a minute without a change', async () => {
  const { state, reasonOf, change } = createChecks();
  state.waiting = 2;
  change();
  state.ms += 59_999;
  assert.is(await reasonOf('queue'), null);
  state.ms += 1;
  assert.match((await reasonOf('queue')) ?? '', /none has started for a minute/);
  change();
  assert.is(await reasonOf('queue'), null);
});

test('a long encode does not block the queue, and an empty queue is not blocked', async () => {
  const { state, reasonOf } = createChecks();
  state.ms = 3_600_000;
  assert.is(await reasonOf('queue'), null);
  Object.assign(state, { waiting: 2, running: [7] });
  assert.is(await reasonOf('queue'), null);
});

test('a daemon that encodes nothing reports jobs that wait at once', async () => {
  const { state, reasonOf } = createChecks();
  Object.assign(state, { maxEncodes: 0, waiting: 1 });
  assert.match((await reasonOf('queue')) ?? '', /--jobs 0/);
});

test('notifications are reported when five attempts failed, until one is delivered', async () => {
  const { checks, reasonOf } = createChecks();
  const attempts = (...results: readonly ('delivered' | 'failed' | 'gave-up')[]) => {
    for (const result of results) checks.observeNotification({ result });
  };
  attempts('failed', 'failed', 'delivered', 'failed', 'failed', 'failed', 'failed');
  assert.is(await reasonOf('notifications'), null);
  attempts('gave-up');
  assert.match((await reasonOf('notifications')) ?? '', /all failed/);
  attempts('delivered');
  assert.is(await reasonOf('notifications'), null);
});

test('a missing sandbox that is optional is reported, and its check is passed', async () => {
  const { state, checks } = createChecks();
  const sandbox = async () => (await checks.results()).find(({ name }) => name === 'sandbox');
  assert.equal(await sandbox(), { name: 'sandbox', ok: true, isRequired: false, reason: null });
  state.sandboxProblem = 'ffmpeg runs without a sandbox: bwrap (bubblewrap) is not installed.';
  assert.equal(await sandbox(), {
    name: 'sandbox',
    ok: true,
    isRequired: false,
    reason: state.sandboxProblem,
  });
});

test.run();
