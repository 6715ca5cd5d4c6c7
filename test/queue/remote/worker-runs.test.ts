import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RemoteClaims } from '../../../daemon/queue/remote/remote-claims.js';
import { trackWorkerRuns } from '../../../daemon/queue/remote/worker-runs.js';
import { Workers } from '../../../daemon/queue/remote/workers.js';
import { createRemoteClaimsHarness, type RemoteClaimsHarness } from '../../helpers/remote-claims-harness.js';
import { sampleJoin } from '../../helpers/test-worker.js';

const test = suite<{ harness: RemoteClaimsHarness }>('the runs of workers in all daemons');

test.before.each(async (context) => {
  context.harness = await createRemoteClaimsHarness();
});
test.after.each(({ harness }) => harness.close());

test('jobs that other daemons gave to workers are known from the store, those before the start included', async ({
  harness,
}) => {
  const { store } = harness;
  const daemon = await harness.start();
  const { progressTracker, queue, claims } = daemon;
  const claimNext = async () => {
    const jobId = await daemon.create();
    const claim = await claims.claim(await daemon.join('box'), new AbortController().signal);
    assert.is(claim?.job.id, jobId);
    return { jobId, token: claim?.token ?? '' };
  };
  const first = await claimNext();
  const runs = await trackWorkerRuns({ store, progressTracker });
  assert.equal(runs.list(), [{ jobId: first.jobId, worker: 'box', speed: null }]);
  const second = await claimNext();
  progressTracker.update(first.jobId, 1, { event: 'transcoding', percent: 1, overallPercent: 1, speed: 2.5 });
  assert.equal(runs.list(), [
    { jobId: first.jobId, worker: 'box', speed: 2.5 },
    { jobId: second.jobId, worker: 'box-2', speed: null },
  ]);

  const registry = new Workers({
    now: () => new Date(),
    randomToken: () => String(Math.random()),
    leaseMs: 3_600_000,
  });
  for (const name of ['box', 'box-2', 'idle']) await registry.join({ ...sampleJoin, name });
  const log = () => undefined;
  const other = new RemoteClaims({ queue, store, registry, leaseMs: 3_600_000, log, sharedRuns: runs });
  const listed = other.workers().map(({ name, jobIds, speed }) => [name, jobIds, speed]);
  assert.equal(listed, [
    ['box', [first.jobId], 2.5],
    ['box-2', [second.jobId], null],
    ['idle', [], null],
  ]);

  await claims.end(first.jobId, first.token);
  assert.equal(
    runs.list().map(({ jobId }) => jobId),
    [second.jobId],
  );
  runs.close();
  await claims.end(second.jobId, second.token);
  assert.is(runs.list().length, 1, 'it follows no more');
});

test.run();
