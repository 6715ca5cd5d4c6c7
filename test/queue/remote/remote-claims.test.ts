import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { workersWithoutFreeze } from '../../../daemon/actions/pause-job.js';
import { claimForWorker } from '../../../daemon/actions/serve-worker.js';
import { apply } from '../../../daemon/jobs/changes.js';
import type { Job } from '../../../daemon/jobs/job.js';
import type { Change } from '../../../daemon/jobs/legal-changes.js';
import type { ClaimAnswer } from '../../../daemon/jobs/worker-protocol.js';
import { isVencError } from '../../../src/shared/errors.js';
import {
  beginEncode,
  claimNext,
  createRemoteClaimsHarness,
  type RemoteClaimsDaemon,
  type RemoteClaimsHarness,
} from '../../helpers/remote-claims-harness.js';
import { sampleDraft, sampleFile, sampleMedia } from '../../helpers/sample-job.js';
import { sampleJoin } from '../../helpers/test-worker.js';
import { settleEventLoop, waitUntil } from '../../helpers/wait-until.js';

const test = suite<{ harness: RemoteClaimsHarness }>('remote claims');
test.before.each(async (context) => {
  context.harness = await createRemoteClaimsHarness();
});
test.after.each(({ harness }) => harness.close());

const inspected: Change = { type: 'inspected', media: sampleMedia, file: sampleFile };
const report = (workerId: string) => ({ workerId, progress: [], log: [] });
const isClaimLost = (error: unknown) => isVencError(error, 'ClaimLostError');

/** Makes the changes with which a worker finishes a job. */
async function finish(daemon: RemoteClaimsDaemon, claim: ClaimAnswer) {
  const { claims } = daemon;
  const { job, token } = claim;
  const id = await beginEncode(daemon, claim);
  const file = { media: sampleMedia, file: sampleFile };
  return claims.change(job.id, token, 3, { type: 'output-finished', id, ...file });
}

async function rejects(promise: Promise<unknown>, isExpected: (error: unknown) => boolean): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(isExpected(error), String(error));
}

test('a worker that does not report loses its claim, and another finishes the job', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const first = await claimNext(daemon, await daemon.join('first'));
  harness.expireLeases();
  const second = await claimNext(daemon, await daemon.join('second'));
  assert.equal([second.job.id, second.job.crashes], [id, 0], 'it was not being encoded');
  await rejects(daemon.claims.heartbeat(id, first.token, report('')), isClaimLost);
  await rejects(daemon.claims.change(id, first.token, 1, inspected), isClaimLost);
  await rejects(daemon.claims.jobOf(id, first.token), isClaimLost);
  assert.is((await finish(daemon, second)).state, 'finished');
  assert.ok(harness.logLines.some((line) => line.includes('worker first has not reported')));
});

test('a job that three workers lose fails', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  for (const name of ['a', 'b', 'c']) {
    await beginEncode(daemon, await claimNext(daemon, await daemon.join(name)));
    harness.expireLeases();
  }
  await waitUntil('the job has failed', async () => (await harness.store.get(id))?.state === 'failed');
  assert.is((await harness.store.get(id))?.outputs[0]?.failure?.errorClass, 'WorkerLostError');
});

test('a worker that gives a job back causes no crash', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const worker = await daemon.join();
  for (let count = 1; count <= 4; count += 1) {
    const { job, token } = await claimNext(daemon, worker);
    assert.equal([job.id, job.crashes], [id, 0]);
    await daemon.claims.end(id, token);
  }
  assert.is((await finish(daemon, await claimNext(daemon, worker))).state, 'finished');
});

test('a change with a number that is stored changes nothing, also after the end of the job', async ({
  harness,
}) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const claim = await claimNext(daemon, await daemon.join());
  const first = await daemon.claims.change(id, claim.token, 1, inspected);
  assert.equal(await daemon.claims.change(id, claim.token, 1, inspected), first);
  const finished = await finish(daemon, claim);
  const again = await daemon.claims.change(id, claim.token, 3, { type: 'output-failed', id: 3, failure });
  assert.equal([finished.state, again.state], ['finished', 'finished']);
  await rejects(daemon.claims.change(id, claim.token, 4, inspected), isClaimLost);
});

test('the last lines of a worker are logged after it has ended the job', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const worker = await daemon.join();
  const claim = await claimNext(daemon, worker);
  await finish(daemon, claim);
  const log = [{ level: 'info', message: 'The last line.' }] as const;
  const answer = await daemon.claims.heartbeat(id, claim.token, { ...report(worker), log });
  assert.equal(answer, { stop: null, drain: false });
  assert.ok(harness.logLines.some((line) => line.includes('The last line.')));
});

test('a worker that does not report loses a cancelled job, and one that failed after three crashes', async ({
  harness,
}) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const tokens: string[] = [];
  for (let crash = 1; crash <= 3; crash += 1) {
    const claim = await claimNext(daemon, await daemon.join(`worker-${crash}`));
    await beginEncode(daemon, claim);
    tokens.push(claim.token);
    harness.expireLeases();
  }
  await waitUntil('the job has failed', async () => (await harness.store.get(id))?.state === 'failed');
  for (const token of tokens) await rejects(daemon.claims.heartbeat(id, token, report('')), isClaimLost);
  const cancelled = await daemon.create();
  const { token } = await claimNext(daemon, await daemon.join('other'));
  await harness.store.update(cancelled, (job) => apply(job, { type: 'cancelled' }, new Date(0)));
  const stopping = daemon.queue.stop(cancelled, 'cancelled');
  harness.expireLeases();
  await stopping;
  await rejects(daemon.claims.heartbeat(cancelled, token, report('')), isClaimLost);
});

const failure = { errorClass: 'TranscodingError', message: 'It failed.' } as const;

test('a cancelled job is given to nobody until its worker has stopped', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const worker = await daemon.join();
  const { token } = await claimNext(daemon, worker);
  assert.equal(await daemon.claims.heartbeat(id, token, report(worker)), { stop: null, drain: false });
  let isStopped = false;
  const stopping = daemon.queue.stop(id, 'resubmitted').then(() => {
    isStopped = true;
  });
  const waiting = claimNext(daemon, await daemon.join('other'));
  assert.is((await daemon.claims.heartbeat(id, token, report(worker))).stop, 'resubmitted');
  await settleEventLoop(() => harness.store.get(id));
  assert.not.ok(isStopped);
  assert.equal(daemon.queue.running(), [id]);
  await daemon.claims.end(id, token);
  await stopping;
  const job = await harness.store.get(id);
  assert.equal([job?.state, job?.crashes], ['waiting', 0]);
  if (job !== null) await daemon.queue.enqueue(job);
  assert.is((await waiting).job.id, id);
});

test('a worker keeps its claim while the daemon restarts', async ({ harness }) => {
  const before = await harness.start();
  const id = await before.create();
  const claim = await claimNext(before, await before.join());
  await before.claims.change(id, claim.token, 1, inspected);
  await before.queue.close(0);
  const after = await harness.start();
  assert.equal(after.queue.running(), [id]);
  assert.equal(await after.claims.heartbeat(id, claim.token, report('forgotten')), {
    stop: null,
    drain: false,
  });
  assert.is((await after.claims.change(id, claim.token, 1, inspected)).state, 'processing');
  assert.is((await finish(after, claim)).state, 'finished');
  assert.is((await harness.store.get(id))?.crashes, 0);
});

test('a worker that does not come back after a restart of the daemon has lost its claim', async ({
  harness,
}) => {
  const before = await harness.start();
  const id = await before.create();
  await beginEncode(before, await claimNext(before, await before.join()));
  await before.queue.close(0);
  const after = await harness.start();
  harness.expireLeases();
  const { job } = await claimNext(after, await after.join());
  assert.equal([job.id, job.crashes], [id, 1]);
});

test('a worker that drains gets no further job, and keeps the one that it has', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const worker = await daemon.join();
  const claim = await claimNext(daemon, worker);
  const waiting = daemon.claims.claim(worker, new AbortController().signal);
  assert.is(await daemon.workers.setDraining('box', true), true);
  assert.is(await waiting, null);
  await daemon.create();
  assert.is(await daemon.claims.claim(worker, new AbortController().signal), null);
  assert.equal(await daemon.claims.heartbeat(id, claim.token, report(worker)), { stop: null, drain: true });
  assert.is((await finish(daemon, claim)).state, 'finished');
});

test('a job goes only to a worker that can run it', async ({ harness }) => {
  const daemon = await harness.start();
  const withoutCodecs = daemon.claims.claim(await daemon.join('plain'), new AbortController().signal);
  const encoded = await harness.store.create(sampleDraft());
  await daemon.queue.enqueue(encoded);
  const id = await daemon.create();
  assert.is((await withoutCodecs)?.job.id, id);
  assert.is(daemon.queue.findWaiting(() => true)?.id, encoded.id);
});

test('a claim whose worker has gone before it could be answered is given back at once', async ({
  harness,
}) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const gone = new AbortController();
  const remoteClaims = Object.assign(Object.create(daemon.claims) as typeof daemon.claims, {
    claim: async (workerId: string, signal: AbortSignal) => {
      const answer = await daemon.claims.claim(workerId, signal);
      gone.abort(new Error('gone'));
      return answer;
    },
    end: (jobId: number, token: string) => daemon.claims.end(jobId, token),
  });
  const options = { signal: gone.signal, timeoutMs: 60_000 };
  const { workers } = daemon;
  await claimForWorker({ remoteClaims, workers }, { workerId: await daemon.join() }, options);
  const { job } = await claimNext(daemon, await daemon.join('other'));
  assert.equal([job.id, job.crashes], [id, 0]);
});

test('a worker that makes the outputs that another one has left does not see the token of that one', async ({
  harness,
}) => {
  const daemon = await harness.start();
  const draft = sampleDraft(2);
  const labels = ['red', 'blue'];
  const withLabels = (job: Job): Job => ({
    ...job,
    outputs: job.outputs.map((output, index) => ({
      ...output,
      settings: { type: 'transfer-only', requires: labels.slice(index, index + 1) },
    })),
  });
  const job = await harness.store.create({ ...draft, number: (id) => withLabels(draft.number(id)) });
  await daemon.queue.enqueue(job);
  const claims: ClaimAnswer[] = [];
  for (const [index, label] of labels.entries()) {
    const { workerId } = await daemon.workers.join({ ...sampleJoin, name: label, labels: [label] });
    const claim = await claimNext(daemon, workerId);
    claims.push(claim);
    const id = job.outputs[index]?.id ?? 0;
    const change = (number: number, type: Change) => daemon.claims.change(job.id, claim.token, number, type);
    await change(1, inspected);
    await change(2, { type: 'output-started', id });
    await change(3, { type: 'output-finished', id, media: sampleMedia, file: sampleFile });
  }
  const [first, second] = claims;
  assert.is(second?.job.id, first?.job.id);
  assert.not.ok(JSON.stringify(second).includes(first?.token ?? ''));
  assert.is((await harness.store.get(job.id))?.state, 'finished');
});

test('a wait for a job ends after its time, with its signal, and when the worker drains', async ({
  harness,
}) => {
  const { claims: remoteClaims, workers, join } = await harness.start();
  const body = { workerId: await join() };
  const { signal } = new AbortController();
  const wait = (timeoutMs: number, until = signal) =>
    claimForWorker({ remoteClaims, workers }, body, { signal: until, timeoutMs });
  assert.equal(await wait(5), { claim: null, isDraining: false });
  assert.equal(await wait(60_000, AbortSignal.abort()), { claim: null, isDraining: false });
  const waiting = wait(60_000);
  await workers.setDraining('box', true);
  assert.equal(await waiting, { claim: null, isDraining: true });
});

test('a worker stops the programs of a paused job with its next heartbeat', async ({ harness }) => {
  const daemon = await harness.start();
  const id = await daemon.create();
  const worker = await daemon.join();
  const claim = await claimNext(daemon, worker);
  const pause = async (type: 'paused' | 'unpaused') =>
    daemon.queue.followPause(await harness.store.update(id, (job) => apply(job, { type }, new Date())));
  await pause('paused');
  assert.is((await daemon.claims.heartbeat(id, claim.token, report(worker))).frozen, true);
  await pause('unpaused');
  assert.is((await daemon.claims.heartbeat(id, claim.token, report(worker))).frozen, undefined);
  await pause('paused');
  const running = [(await harness.store.get(id)) ?? claim.job];
  assert.equal(workersWithoutFreeze(daemon, running), ['box'], 'its protocol is too old');
  harness.expireLeases();
  await waitUntil('the job waits again', async () => (await harness.store.get(id))?.state === 'waiting');
  const job = await harness.store.get(id);
  assert.equal([job?.isPaused, job?.crashes], [true, 0], 'the end of a stopped run is no crash');
});

test.run();
