import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAdvisoryChecks } from '../../daemon/app/advisory-checks.js';
import type { WorkerState } from '../../daemon/jobs/worker-protocol.js';
import type { WorkerAbilities } from '../../daemon/queue/parts/part-selection.js';
import type { WaitingJob } from '../../daemon/queue/waiting-jobs.js';
import type { JobListener } from '../../daemon/store/job-store.js';

const startMs = Date.parse('2026-01-01T00:00:00Z');

/** A worker that last reported at a number of milliseconds after the start. */
function worker(lastSeenMs: number, change: Partial<WorkerState> = {}): WorkerState {
  const at = new Date(startMs + lastSeenMs).toISOString();
  return {
    ...{
      name: 'box',
      version: '0.1.0',
      ffmpeg: '7.0',
      jobs: 1,
      labels: [],
      jobIds: [],
      isDraining: false,
      isPaused: false,
      closed: null,
    },
    ...{ speed: null, joinedAt: at, lastSeenAt: at },
    ...change,
  };
}

/** Advisory checks with a clock, a queue and a store that the test controls. */
function createChecks() {
  const state = {
    ms: 0,
    waiting: 0,
    running: [] as number[],
    maxEncodes: 1 as number | null,
    isPaused: false,
    workers: [] as WorkerState[],
    sandboxProblem: null as string | null,
    jobs: [] as WaitingJob[],
    abilities: [] as WorkerAbilities[],
    logged: [] as string[],
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
    queue: { running: () => state.running, findWaiting: (condition) => state.jobs.find(condition) ?? null },
    machines: { workers: { abilities: () => state.abilities }, own: null },
    log: (level, message) => state.logged.push(`${level} ${message}`),
    maxEncodes: () => state.maxEncodes,
    heldBackBy: () => (state.isPaused ? 'pause' : null),
    workers: () => state.workers,
    now: () => new Date(startMs + state.ms),
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

test('with --jobs 0, a queue that workers empty is not reported, and one that no worker takes from is after a minute', async () => {
  const { state, reasonOf, change } = createChecks();
  Object.assign(state, { maxEncodes: 0, waiting: 1, workers: [worker(0)], running: [7] });
  change();
  state.ms = 3_600_000;
  assert.is(await reasonOf('queue'), null);
  change();
  state.running = [];
  assert.is(await reasonOf('queue'), null);
  state.ms += 60_000;
  assert.match((await reasonOf('queue')) ?? '', /no worker has taken one for a minute/);
  state.workers = [worker(0, { isDraining: true })];
  assert.match((await reasonOf('queue')) ?? '', /--jobs 0.*no worker is connected/);
});

test('workers that run jobs and have not reported for half of the time of a claim are reported, without names', async () => {
  const { state, reasonOf } = createChecks();
  state.workers = [worker(0, { jobIds: [7] }), worker(0)];
  state.ms = 14_999;
  assert.is(await reasonOf('workers'), null);
  state.ms = 15_000;
  assert.is(
    await reasonOf('workers'),
    'A worker that runs jobs has not reported for 15 s: venc workers shows which.',
  );
  state.workers = [worker(0, { jobIds: [7] }), worker(-5000, { jobIds: [8, 9] })];
  assert.match((await reasonOf('workers')) ?? '', /^2 workers that run jobs have not reported for 20 s/);
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

test('a job that no connected machine can run is reported and logged once', async () => {
  const { state, reasonOf } = createChecks();
  const job = {
    id: 7,
    accountId: '1',
    priority: 0,
    requires: ['gpu'],
    needsKey: '[{"requires":[],"needs":[],"decoding":0}]',
  };
  const capabilities = { version: 6, encoders: [], filters: [], muxers: [], hasFpsMode: true };
  Object.assign(state, { maxEncodes: 0, jobs: [job] });
  state.abilities = [{ labels: new Set(['big']), capabilities }];
  assert.match((await reasonOf('queue')) ?? '', /A job waits that nothing .* can run/);
  await reasonOf('queue');
  assert.equal(state.logged, ['warn Job 7 waits: no connected worker has the labels gpu.']);
  state.abilities = [{ labels: new Set(['gpu']), capabilities }];
  assert.is(await reasonOf('queue'), null);
});

test('a job of which a connected machine can make some outputs is not reported as one that waits', async () => {
  const { state, reasonOf } = createChecks();
  const parts = [[], ['gpu']].map((requires) => ({ requires, needs: [], decoding: 0 }));
  const job = { id: 7, accountId: '1', priority: 0, requires: [], needsKey: JSON.stringify(parts) };
  const capabilities = { version: 6, encoders: [], filters: [], muxers: [], hasFpsMode: true };
  Object.assign(state, { maxEncodes: 0, jobs: [job], abilities: [{ labels: new Set(), capabilities }] });
  await reasonOf('queue');
  assert.equal(state.logged, ['warn Outputs of job 7 wait: no connected worker has the labels gpu.']);
});

test('a connected worker runs the jobs of a daemon that encodes nothing', async () => {
  const { state, reasonOf } = createChecks();
  Object.assign(state, { maxEncodes: 0, waiting: 1 });
  assert.match(String(await reasonOf('queue')), /no worker is connected/);
  state.workers = [worker(0)];
  assert.is(await reasonOf('queue'), null);
});

test.run();
