import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../daemon/jobs/legal-changes.js';
import {
  beginEncode,
  claimNext,
  createRemoteClaimsHarness,
  type RemoteClaimsHarness,
} from '../../helpers/remote-claims-harness.js';
import { sampleFile, sampleMedia } from '../../helpers/sample-job.js';
import { waitUntil } from '../../helpers/wait-until.js';

const test = suite<{ harness: RemoteClaimsHarness }>('remote claims that end');
test.before.each(async (context) => {
  context.harness = await createRemoteClaimsHarness();
});
test.after.each(({ harness }) => harness.close());

const inspected: Change = { type: 'inspected', media: sampleMedia, file: sampleFile };
const report = (workerId: string) => ({ workerId, progress: [], log: [] });

test('a claim whose job was ended through another daemon is no longer held', async ({ harness }) => {
  const daemon = await harness.start();
  await daemon.create();
  const { job } = await claimNext(daemon, await daemon.join());
  const heldJobs = () => daemon.claims.workers().flatMap(({ jobIds }) => jobIds);
  assert.equal(heldJobs(), [job.id]);
  // What the queue does when the store reports a change by another daemon.
  await daemon.queue.stop(job.id, 'passed-on');
  assert.equal(heldJobs(), []);
});

test('a kill of a worker is a crash of the job that it encoded, not of those that it transferred', async ({
  harness,
}) => {
  const daemon = await harness.start();
  const worker = await daemon.join();
  const stages = ['downloading', 'waiting', 'inspecting', 'transcoding', 'uploading'] as const;
  const ids = new Map<string, number>();
  for (const stage of stages) {
    ids.set(stage, await daemon.create());
    const claim = await claimNext(daemon, worker);
    const isInput = stage === 'downloading' || stage === 'inspecting';
    if (stage === 'waiting') await daemon.claims.change(claim.job.id, claim.token, 1, inspected);
    else {
      const fileId = isInput ? claim.job.input.id : await beginEncode(daemon, claim);
      const progress = [{ id: fileId, event: stage, percent: 1, overallPercent: 1 }];
      await daemon.claims.heartbeat(claim.job.id, claim.token, { ...report(worker), progress });
    }
  }
  harness.expireLeases();
  const jobs = async () =>
    Promise.all([...ids].map(async ([stage, id]) => ({ stage, job: await harness.store.get(id) })));
  await waitUntil('all wait', async () => (await jobs()).every(({ job }) => job?.state === 'waiting'));
  const crashed = (await jobs()).filter(({ job }) => job?.crashes === 1).map(({ stage }) => stage);
  assert.equal(crashed, ['inspecting', 'transcoding']);
});

test.run();
