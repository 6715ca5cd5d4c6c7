import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mayRollBack, repeatAfterCut, withConfirmedClaim } from '../../daemon/pipeline/confirmed-claim.js';
import { VencError } from '../../src/shared/errors.js';
import { waitUntil } from '../helpers/wait-until.js';
import { type RemoteRunHarness, startRemoteRun } from './run-harness.js';

const test = suite('files are delivered under a confirmed claim');

const withRun = (scenario: (harness: RemoteRunHarness) => Promise<void>) => async () => {
  const harness = await startRemoteRun();
  try {
    await scenario(harness);
  } finally {
    await harness.close();
  }
};

/** An upload that lasts until its signal is aborted. */
async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

test(
  'while the daemon cannot be reached, nothing is delivered; afterwards it is',
  withRun(async ({ daemon, remote, events, freeze }) => {
    daemon.isDown = true;
    await waitUntil('the daemon is unreachable', () => events.includes('disconnected'));
    freeze(10_000);
    let isDelivered = false;
    const delivering = withConfirmedClaim(remote.run, async () => {
      isDelivered = true;
    });
    const count = daemon.requests.length;
    await waitUntil('the claim is asked for', () => daemon.requests.length > count + 3);
    assert.is(isDelivered, false);
    daemon.isDown = false;
    await delivering;
    assert.ok(isDelivered);
  }),
);

test(
  'an upload during which the worker is frozen is aborted, and repeated once the claim is confirmed',
  withRun(async ({ daemon, remote, events, freeze }) => {
    let uploads = 0;
    const delivering = withConfirmedClaim(remote.run, async (signal) => {
      uploads += 1;
      if (uploads > 1) return 'delivered';
      daemon.isDown = true;
      await waitUntil('the daemon is unreachable', () => events.includes('disconnected'));
      freeze(31_000);
      // Any progress reveals that the claim is stale.
      remote.run.progress(1, { event: 'uploading', percent: 1, overallPercent: 1 });
      assert.ok(signal.aborted);
      daemon.isDown = false;
      return untilAborted(signal);
    });
    assert.is(await delivering, 'delivered');
    assert.is(uploads, 2);
  }),
);

test(
  'a transfer that fails while the worker is cut off is repeated, one that fails otherwise is not',
  withRun(async ({ daemon, remote, events }) => {
    for (const transfer of [repeatAfterCut, withConfirmedClaim]) {
      const failure = new VencError('UploadFailureError', 'it cannot be reached from here');
      let attempts = 0;
      const done = transfer(remote.run, async () => {
        attempts += 1;
        if (attempts > 1) return 'delivered';
        daemon.isDown = true;
        // Not after a time: the daemon could be back before the first heartbeat asks for it.
        void waitUntil('a heartbeat has failed', () => events.at(-1) === 'disconnected').then(() => {
          daemon.isDown = false;
        });
        // As fast as a machine without a network fails: no heartbeat has failed yet.
        throw failure;
      });
      assert.is(await done, 'delivered');
      assert.is(attempts, 2);
      const rejected = transfer(remote.run, async () => {
        throw failure;
      });
      assert.is(await rejected.catch((error: unknown) => error), failure);
    }
  }),
);

test(
  'a worker that is woken after its claim was given away delivers nothing and removes nothing',
  withRun(async ({ daemon, remote, freeze }) => {
    let uploads = 0;
    const error = await withConfirmedClaim(remote.run, async (signal) => {
      uploads += 1;
      daemon.isHeld = false;
      freeze(120_000);
      return untilAborted(signal);
    }).then(
      () => null,
      (reason: unknown) => reason,
    );
    assert.is(error, 'worker-lost');
    assert.is(uploads, 1);
    assert.is(await mayRollBack(remote.run), false);
  }),
);

test(
  'a run that was cancelled may remove what it delivered, one whose claim is gone may not',
  withRun(async ({ daemon, remote, freeze }) => {
    assert.is(await mayRollBack(remote.run), true);
    freeze(3_000);
    daemon.isHeld = false;
    assert.is(await mayRollBack(remote.run), false);
  }),
);

test(
  'a cancelled run may remove what it delivered',
  withRun(async ({ daemon, remote }) => {
    daemon.answer = { stop: 'cancelled', drain: false };
    await waitUntil('the run is cancelled', () => remote.reason === 'cancelled');
    assert.is(await mayRollBack(remote.run), true);
    // Nobody knows whether its last change is stored.
    assert.is(await mayRollBack(remote.run, new VencError('ClaimLostError', 'no answer')), false);
  }),
);

test('a run of the daemon itself needs no confirmation', async () => {
  const { signal } = new AbortController();
  assert.is(await withConfirmedClaim({ signal }, async (given) => given), signal);
  assert.is(await mayRollBack({ signal }), true);
});

test.run();
