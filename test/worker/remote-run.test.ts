import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { VencError } from '../../src/shared/errors.js';
import { finishAll } from '../helpers/sample-job.js';
import { waitUntil } from '../helpers/wait-until.js';
import { claimedJob, type RemoteRunHarness, startRemoteRun, stopped } from './run-harness.js';

const test = suite('a run over HTTP');

const withRun =
  (scenario: (harness: RemoteRunHarness) => Promise<void>, outputs = 1) =>
  async () => {
    const harness = await startRemoteRun(claimedJob(outputs));
    try {
      await scenario(harness);
    } finally {
      await harness.close();
    }
  };

test(
  'changes are stored once and in their order, although answers are lost and proxies answer',
  withRun(async ({ daemon, remote }) => {
    daemon.disturb('/changes', 'cut', 'none', 'cut-after', 'none', 502, 'none', 'cut-after', 429, 'none');
    const job = await finishAll(remote.run);
    assert.is(job.state, 'finished');
    assert.equal([...daemon.changes.keys()], [1, 2, 3, 4, 5]);
    const types = [...daemon.changes.values()].map(({ type }) => type);
    assert.equal(types, [
      'inspected',
      'output-started',
      'output-finished',
      'output-started',
      'output-finished',
    ]);
    assert.is(daemon.requests.filter((path) => path.includes('/changes')).length, 10);
    assert.ok(remote.isDone);
  }, 2),
);

test(
  'changes that are made at the same time are sent one after the other',
  withRun(async ({ daemon, remote, job }) => {
    daemon.disturb('/changes', 'cut');
    const id = job.outputs[0]?.id ?? 0;
    const failure = { errorClass: 'TranscodingError', message: 'It failed.' } as const;
    await Promise.all([
      remote.change({ type: 'inspected', media: null, file: { sizeBytes: 0, md5: '' } }),
      remote.change({ type: 'output-started', id }),
      remote.change({ type: 'output-failed', id, failure }),
    ]);
    const types = [...daemon.changes.values()].map(({ type }) => type);
    assert.equal(types, ['inspected', 'output-started', 'output-failed']);
  }),
);

test(
  'a change under a lost claim stops the run as lost',
  withRun(async ({ daemon, remote, job }) => {
    daemon.isHeld = false;
    const error = await remote.change({ type: 'output-started', id: job.outputs[0]?.id ?? 0 }).then(
      () => null,
      (one: VencError) => one,
    );
    assert.is(error?.errorClass, 'ClaimLostError');
    assert.is(remote.reason, 'worker-lost');
    assert.is(daemon.changes.size, 0);
  }),
);

test(
  'a heartbeat under a lost claim stops the run as lost',
  withRun(async ({ daemon, remote }) => {
    daemon.isHeld = false;
    assert.is(await stopped(remote), 'worker-lost');
  }),
);

test(
  'the answer to a heartbeat stops the run with its reason, and the heartbeats go on until the end',
  withRun(async ({ daemon, remote }) => {
    daemon.answer = { stop: 'cancelled', drain: false };
    assert.is(await stopped(remote), 'cancelled');
    const { length } = daemon.heartbeats;
    await waitUntil('a further heartbeat arrives', () => daemon.heartbeats.length > length);
  }),
);

test(
  'a daemon that stops does not stop the run',
  withRun(async ({ daemon, remote }) => {
    daemon.answer = { stop: 'daemon-stopped', drain: false };
    await waitUntil('three heartbeats arrive', () => daemon.heartbeats.length >= 3);
    assert.is(remote.reason, null);
  }),
);

test(
  'the answer to a heartbeat asks the worker to take no further jobs',
  withRun(async ({ daemon, remote, events }) => {
    daemon.answer = { stop: null, drain: true };
    await waitUntil('the worker drains', () => events.includes('drain'));
    assert.is(remote.reason, null);
  }),
);

test(
  'the answers to heartbeats stop the programs of the run, and let them go on',
  withRun(async ({ daemon, remote }) => {
    assert.is(remote.isFrozen, false);
    daemon.answer = { stop: null, drain: false, frozen: true };
    await waitUntil('the programs are stopped', () => remote.isFrozen);
    daemon.answer = { stop: null, drain: false };
    await waitUntil('the programs go on', () => !remote.isFrozen);
  }),
);

test(
  'a revoked token stops the run as lost, and is reported',
  withRun(async ({ daemon, remote, events }) => {
    daemon.disturb('/heartbeat', 401);
    assert.is(await stopped(remote), 'worker-lost');
    assert.ok(events.includes('rejected UnauthorizedError'));
  }),
);

test(
  'heartbeats report the latest progress of each file and the lines of the log, also after a cut',
  withRun(async ({ daemon, remote, events }) => {
    daemon.isDown = true;
    await waitUntil('the daemon is unreachable', () => events.includes('disconnected'));
    remote.run.progress(7, { event: 'transcoding', percent: 1, overallPercent: 1 });
    remote.addLog({ time: '', level: 'info', message: 'one', jobId: 1 });
    const beats = () => daemon.requests.filter((one) => one.includes('/heartbeat')).length;
    const beatsBefore = beats();
    await waitUntil('a heartbeat with them fails', () => beats() >= beatsBefore + 2);
    remote.run.progress(7, { event: 'transcoding', percent: 2, overallPercent: 2 });
    remote.addLog({ time: '', level: 'warn', message: 'two', jobId: 1, outputId: 7 });
    // One may be on its way that was made before these.
    const beatsBetween = beats();
    await waitUntil('a heartbeat with all of them fails', () => beats() >= beatsBetween + 2);
    daemon.heartbeats.length = 0;
    daemon.isDown = false;
    const lines = () => daemon.heartbeats.flatMap(({ log }) => log);
    await waitUntil('both lines arrive', () => lines().length === 2);
    assert.equal(lines(), [
      { level: 'info', message: 'one' },
      { level: 'warn', message: 'two', outputId: 7 },
    ]);
    const progress = daemon.heartbeats.flatMap((heartbeat) => heartbeat.progress);
    assert.equal(progress, [{ id: 7, event: 'transcoding', percent: 2, overallPercent: 2 }]);
    await waitUntil('the daemon is reachable again', () => events.at(-1) === 'connected');
  }),
);

test(
  'of too many lines the oldest are dropped, and their number is reported',
  withRun(async ({ daemon, remote, events }) => {
    daemon.isDown = true;
    await waitUntil('the daemon is unreachable', () => events.includes('disconnected'));
    for (let line = 0; line < 1200; line += 1)
      remote.addLog({ time: '', level: 'info', message: `${line} ${'x'.repeat(1000)}`, jobId: 1 });
    daemon.isDown = false;
    const lines = () => daemon.heartbeats.flatMap(({ log }) => log);
    await waitUntil('the last line arrives', () =>
      lines().some(({ message }) => message.startsWith('1199 ')),
    );
    assert.ok(lines().some(({ message }) => /^2\d\d lines of the log are missing/.test(message)));
    for (const { log } of daemon.heartbeats) assert.ok(JSON.stringify(log).length < 500_000);
  }),
);

test(
  'a run that waits is given back at once when the worker ends, one that works is not',
  withRun(async ({ remote }) => {
    remote.drain();
    assert.is(remote.reason, null);
    const never = new Promise<void>(() => {});
    void remote.run.whileWaiting(never);
    assert.is(remote.reason, 'worker-released');
  }),
);

test.run();
