import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JoinRequest } from '../../daemon/jobs/worker-protocol.js';
import type { Workers } from '../../daemon/queue/remote/workers.js';
import { isVencError } from '../../src/shared/errors.js';
import { sampleJoin } from '../helpers/test-worker.js';

/** The lease of these registries, in milliseconds. Far longer than a test takes. */
export const contractLeaseMs = 600_000;

/** The registry of one test, without workers at first. */
export interface WorkersHarness {
  readonly registry: Workers;
  /** Lets all workers be silent for this time. */
  pass(ms: number): Promise<void>;
  /** Opens the registry again, as a restart of the daemon does. */
  restart(): Promise<Workers>;
  close(): Promise<void>;
}

const isUnknown = (error: unknown) => isVencError(error, 'NotFoundError');

/** Runs what every worker registry promises. */
export function workersContract(
  name: string,
  createHarness: () => Promise<WorkersHarness>,
  end: () => Promise<void> = async () => {},
): void {
  const test = suite<{ harness: WorkersHarness }>(name);
  test.before.each(async (context) => {
    context.harness = await createHarness();
  });
  test.after.each(({ harness }) => harness.close());
  test.after(end);

  const rejection = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (error: unknown) => error,
    );
  const namesOf = (registry: Workers) => registry.list().map((worker) => worker.name);
  const joinAs = async ({ registry }: WorkersHarness, request: Partial<JoinRequest> = {}) =>
    registry.join({ ...sampleJoin, ...request });

  test('a worker that has joined is listed with what it said, and can claim', async ({ harness }) => {
    const request = { ...sampleJoin, jobs: 3, labels: ['gpu', 'ünï'], version: '1.2.3', ffmpeg: '7.1' };
    const answer = await harness.registry.join(request);
    assert.equal([answer.name, answer.leaseSeconds], ['box', contractLeaseMs / 1000]);
    const [listed] = harness.registry.list();
    if (listed === undefined) throw new Error('The worker is not listed.');
    const { joinedAt, lastSeenAt, ...said } = listed;
    assert.equal(said, {
      ...{ name: 'box', version: '1.2.3', ffmpeg: '7.1', jobs: 3, labels: ['gpu', 'ünï'] },
      isDraining: false,
      isPaused: false,
      closed: null,
    });
    assert.ok(Date.parse(joinedAt) <= Date.parse(lastSeenAt));
    const found = await harness.registry.find(answer.workerId);
    assert.equal([found.name, found.isDraining, found.stopped.aborted], ['box', false, false]);
    assert.equal([...(harness.registry.abilities()[0]?.labels ?? [])], ['gpu', 'ünï']);
  });

  test('a worker with the name of another one gets a number', async ({ harness }) => {
    const names = [];
    for (let count = 0; count < 3; count += 1) names.push((await joinAs(harness)).name);
    assert.equal(names, ['box', 'box-2', 'box-3']);
    assert.equal(namesOf(harness.registry), names);
  });

  test('a worker that joins again after it was killed has its name back once the killed one is silent', async ({
    harness,
  }) => {
    const killed = (await joinAs(harness)).workerId;
    await harness.pass(contractLeaseMs + 1);
    assert.is((await joinAs(harness)).name, 'box');
    assert.ok(isUnknown(await rejection(harness.registry.find(killed))));
    assert.is(harness.registry.list().length, 1);
  });

  test('a worker that has left or has not been seen for long is forgotten', async ({ harness }) => {
    const { registry } = harness;
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push((await joinAs(harness, { name })).workerId);
    const [left = '', silent = '', seen = ''] = ids;
    const { stopped } = await registry.find(left);
    await registry.leave(left);
    assert.ok(stopped.aborted);
    await registry.leave('unknown');
    await harness.pass(3 * contractLeaseMs);
    registry.seen(seen);
    registry.seen('unknown');
    await harness.pass(contractLeaseMs + 1);
    assert.equal(namesOf(registry), ['c']);
    assert.is(registry.abilities().length, 1);
    for (const id of [left, silent]) assert.ok(isUnknown(await rejection(registry.find(id))));
    assert.is((await registry.find(seen)).name, 'c');
  });

  test('a name is paused also after its worker or the daemon has started again, and stays joined', async ({
    harness,
  }) => {
    const { registry } = harness;
    const { workerId } = await joinAs(harness);
    const { stopped } = await registry.find(workerId);
    assert.is(await registry.setPaused('another', true), false);
    assert.is(await registry.setPaused('box', true), true);
    const paused = await registry.find(workerId);
    assert.equal([stopped.aborted, paused.isPaused, paused.isDraining], [true, true, false]);
    assert.not.ok(await registry.isDraining(workerId));
    await registry.leave(workerId);
    const restarted = await harness.restart();
    const after = await restarted.join(sampleJoin);
    assert.ok((await restarted.find(after.workerId)).isPaused);
    assert.is(restarted.list()[0]?.isPaused, true);
    assert.is(await restarted.setPaused('box', false), true);
    const next = await restarted.find(after.workerId);
    assert.equal([next.isPaused, next.stopped.aborted], [false, false]);
  });

  test('a worker outside its hours stays joined, and takes jobs again once it asks for one', async ({
    harness,
  }) => {
    const { registry } = harness;
    const { workerId } = await joinAs(harness);
    const { stopped } = await registry.find(workerId);
    const closed = { by: 'hours', until: '2026-01-01T22:00:00.000Z' } as const;
    for (let count = 0; count < 12; count += 1) {
      await registry.find(workerId, closed);
      await harness.pass(contractLeaseMs / 2);
    }
    assert.ok(stopped.aborted);
    assert.equal([registry.list()[0]?.closed, registry.availableAbilities(() => false).size], [closed, 0]);
    assert.is((await registry.find(workerId)).stopped.aborted, false);
    assert.equal([registry.list()[0]?.closed, registry.availableAbilities(() => false).size], [null, 1]);
  });

  test('a name drains also after its worker or the daemon has started again, until that is taken back', async ({
    harness,
  }) => {
    const { registry } = harness;
    const { workerId } = await joinAs(harness);
    const { stopped } = await registry.find(workerId);
    assert.is(await registry.setDraining('another', true), false);
    assert.is(await registry.isDraining('unknown'), false);
    assert.is(await registry.setDraining('box', true), true);
    assert.ok(stopped.aborted && (await registry.isDraining(workerId)));
    assert.ok((await registry.find(workerId)).isDraining);
    assert.equal(
      registry.list().map(({ isDraining }) => isDraining),
      [true],
    );
    await registry.leave(workerId);
    const again = (await joinAs(harness)).workerId;
    assert.ok(await registry.isDraining(again));
    const other = (await joinAs(harness)).workerId;
    assert.not.ok(await registry.isDraining(other), 'box-2');

    await registry.leave(again);
    await registry.leave(other);

    const restarted = await harness.restart();
    const after = await restarted.join(sampleJoin);
    assert.is(after.name, 'box');
    assert.ok(await restarted.isDraining(after.workerId));
    assert.is(await restarted.setDraining('box', false), true);
    assert.not.ok(await restarted.isDraining(after.workerId));
    const next = await restarted.find(after.workerId);
    assert.equal([next.isDraining, next.stopped.aborted], [false, false]);
  });

  test('a name that drains can be resumed while no worker has it', async ({ harness }) => {
    const { registry } = harness;
    const { workerId } = await joinAs(harness);
    await registry.setDraining('box', true);
    await registry.leave(workerId);
    assert.equal(registry.list(), []);
    assert.is(await registry.setDraining('box', false), true);
    assert.is(await registry.setDraining('box', false), false);
    assert.not.ok(await registry.isDraining((await joinAs(harness)).workerId));
  });

  test('a worker that joins again from its folder keeps its name, and its ended process is reported', async ({
    harness,
  }) => {
    const ended: string[] = [];
    const stop = harness.registry.watchEnded(({ name: one, replacedBy }) =>
      ended.push(`${one} ${replacedBy}`),
    );
    const join = (processId: string, folderId = 'f') => joinAs(harness, { folderId, processId });
    assert.equal(
      [(await join('1')).name, (await join('1')).name],
      ['box', 'box'],
      'the same process, after a cut',
    );
    assert.equal(ended, []);
    assert.is((await join('1', 'g')).name, 'box-2', 'another folder');
    const next = await join('2');
    assert.is(next.name, 'box');
    assert.equal(ended, [`box ${next.workerId}`]);
    stop();
    await join('3');
    assert.is(ended.length, 1);
    assert.equal(namesOf(harness.registry), ['box', 'box-2']);
  });

  test('of two processes with one folder that run at once, the one that joins again is rejected', async ({
    harness,
  }) => {
    const join = (processId: string, more: object = {}) =>
      joinAs(harness, { folderId: 'f', processId, ...more });
    await join('1');
    await join('1', { hasJoined: true });
    const second = await join('2');
    const error = await rejection(join('1', { hasJoined: true }));
    assert.ok(isVencError(error, 'ConflictError'));
    assert.match(
      error.message,
      /Another process has joined as this worker \(box\): its data folder is a copy/,
    );
    assert.is((await harness.registry.find(second.workerId)).name, 'box');
    assert.is((await join('2', { hasJoined: true })).name, 'box');
  });

  test('a worker that leaves or drains is reported as one that takes no jobs', async ({ harness }) => {
    const { registry } = harness;
    let count = 0;
    const stop = registry.watchUnavailable(() => {
      count += 1;
    });
    const { workerId } = await joinAs(harness);
    await registry.setDraining('box', true);
    assert.is(count, 1);
    await registry.setDraining('box', false);
    assert.is(count, 1);
    await registry.leave(workerId);
    assert.is(count, 2);
    stop();
  });

  test('workers with equal capabilities share them', async ({ harness }) => {
    const { capabilities } = sampleJoin;
    await joinAs(harness);
    await joinAs(harness, { capabilities: { ...capabilities, encoders: [...capabilities.encoders] } });
    await joinAs(harness, { capabilities: { ...capabilities, encoders: ['libx264'] } });
    assert.is(new Set(harness.registry.abilities().map((one) => one.capabilities)).size, 2);
  });

  test('a worker of a protocol that is too old or too new is rejected', async ({ harness }) => {
    for (const protocol of [0, 1000]) {
      const error = await rejection(joinAs(harness, { protocol }));
      assert.ok(isVencError(error, 'ConflictError'));
      assert.match(error.message, 'upgrade venc on the');
    }
    assert.equal(harness.registry.list(), []);
  });

  test.run();
}
