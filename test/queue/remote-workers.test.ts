import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JoinRequest } from '../../daemon/jobs/worker-protocol.js';
import { RemoteClaims } from '../../daemon/queue/remote/remote-claims.js';
import { Workers } from '../../daemon/queue/remote/workers.js';
import { createLocalQueueHarness } from '../helpers/local-queue-harness.js';
import { simpleDraft } from '../helpers/remote-claims-harness.js';
import { waitUntil } from '../helpers/wait-until.js';

const joinRequest: JoinRequest = {
  protocol: 1,
  name: 'box',
  version: '0.1.0',
  ffmpeg: '7.0',
  jobs: 2,
  labels: [],
  capabilities: { version: 7, encoders: [], filters: [], muxers: [], hasFpsMode: true },
  services: [],
};

async function createClaims(leaseMs: number) {
  let tokens = 0;
  const registry = new Workers({
    now: () => new Date(),
    randomToken: () => `token-${++tokens}`,
    leaseMs,
  });
  const harness = await createLocalQueueHarness();
  const queue = harness.openQueue();
  let expired = 0;
  const claims = new RemoteClaims({
    ...{ queue, store: harness.store, registry, leaseMs, log: () => {} },
    onExpired: () => {
      expired += 1;
    },
  });
  return { registry, claims, queue, harness, expired: () => expired };
}

const test = suite('remote workers');

// The timers of leases do not keep a process running, and a test may wait for nothing else.
const keepAlive = setInterval(() => {}, 60_000);
test.after(() => clearInterval(keepAlive));

test('a worker that is drained takes no job, and takes one after it is resumed', async () => {
  const { registry, claims, queue, harness } = await createClaims(30_000);
  const { workerId, name } = await registry.join(joinRequest);
  const waiting = claims.claim(workerId, new AbortController().signal);
  assert.is(await registry.setDraining(name, true), true);
  assert.is(await waiting, null);
  assert.equal(
    claims.workers().map(({ isDraining }) => isDraining),
    [true],
  );
  assert.is(await registry.setDraining(name, false), true);
  const next = claims.claim(workerId, new AbortController().signal);
  const job = await harness.store.create(simpleDraft());
  await queue.enqueue(job);
  assert.is((await next)?.job.id, job.id);
  assert.equal(
    claims.workers().map(({ jobIds }) => jobIds),
    [[job.id]],
  );
  await harness.close();
});

test('a worker that joins with the name of a drained one drains, until the name is resumed', async () => {
  const { registry, harness } = await createClaims(30_000);
  const first = await registry.join(joinRequest);
  await registry.setDraining('box', true);
  await registry.leave(first.workerId);
  assert.is(await registry.isDraining((await registry.join(joinRequest)).workerId), true);
  await registry.leave('token-2');
  assert.equal(registry.list(), []);
  assert.is(await registry.setDraining('box', false), true);
  assert.is(await registry.setDraining('box', false), false);
  assert.is(await registry.isDraining((await registry.join(joinRequest)).workerId), false);
  await harness.close();
});

test('a claim whose worker does not report is counted once as lost, and its job has no worker any more', async () => {
  const { registry, claims, queue, harness, expired } = await createClaims(300);
  const { workerId } = await registry.join(joinRequest);
  const job = await harness.store.create(simpleDraft());
  const claim = claims.claim(workerId, new AbortController().signal);
  await queue.enqueue(job);
  assert.is((await claim)?.job.worker?.name, 'box');
  await waitUntil('the job waits again', async () => (await harness.store.get(job.id))?.state === 'waiting');
  assert.is((await harness.store.get(job.id))?.worker, undefined);
  assert.is(expired(), 1);
  await harness.close();
});

test('a run that is continued under a later claim is not ended by the end of the earlier one', async () => {
  const { queue, harness } = await createClaims(30_000);
  const job = await harness.store.create(simpleDraft());
  const worker = { name: 'box', token: 'one', changeNumber: 0 };
  const ends: (() => void)[] = [];
  const handler = () => new Promise<void>((resolve) => ends.push(resolve));
  queue.resume({ ...job, state: 'processing', claim: 'one', worker }, handler);
  queue.resume({ ...job, state: 'processing', claim: 'two', worker: { ...worker, token: 'two' } }, handler);
  ends[0]?.();
  // The end of the earlier run is stored before this.
  await queue.stop(job.id + 1, 'cancelled');
  await harness.store.update(job.id, (stored) => stored);
  assert.equal(queue.running(), [job.id]);
  ends[1]?.();
  await waitUntil('it has ended', () => queue.running().length === 0);
  await queue.close(0);
});

test.run();
