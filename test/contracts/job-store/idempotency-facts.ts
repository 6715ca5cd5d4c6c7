import * as assert from 'uvu/assert';
import { isVencError } from '../../../src/shared/errors.js';
import {
  allOf,
  applying,
  type CrashKind,
  type CreateStoreHarness,
  draftWith,
  type StoreFacts,
} from './store-facts.js';

const hourMs = 60 * 60 * 1000;
const begin = Date.parse('2024-05-06T07:08:09.010Z');
/** The time a number of hours and milliseconds after the first create. */
const later = (hours: number, ms = 0) => new Date(begin + hours * hourMs + ms);
const ever = new Date(0);

/** Fails a create under a key at each step in turn, then repeats it: there is exactly one job, now and after a restart. */
async function retryAfterEachStep(
  createHarness: CreateStoreHarness,
  failureKind: CrashKind | 'no space',
): Promise<void> {
  for (let step = 0, hasTriggered = true; hasTriggered; step += 1) {
    const harness = await createHarness();
    const store = await harness.open();
    if (failureKind === 'no space') harness.failures.failWithoutSpaceAt(step);
    else harness.failures.crashAt(step, failureKind);
    const first = await store.create(draftWith({ key: 'k' })).catch((error: unknown) => error);
    hasTriggered = harness.failures.hasTriggered;
    const isRejected = first instanceof Error;
    assert.is(isRejected && failureKind === 'no space', isVencError(first, 'OutOfSpaceError'));
    // The failure would come later.
    if (failureKind === 'no space' && !hasTriggered) return store.close();
    if (failureKind !== 'no space') await harness.crash(failureKind);

    const open = failureKind === 'no space' ? store : await harness.open();
    const again = await open.create(draftWith({ key: 'k' }));
    if (!isRejected) assert.equal(again, first, `step ${step}`);
    assert.equal(await allOf(open), [again], `step ${step}`);
    await open.close();
    const reopened = await harness.open();
    assert.equal(await reopened.create(draftWith({ key: 'k' })), again);
    assert.equal(await allOf(reopened), [again]);
    await reopened.close();
  }
}

/** Creates that are repeated under an idempotency key. */
export const idempotencyFacts: StoreFacts = {
  async 'a create under a used key returns the first job, even if the drafts differ'({ store }) {
    const first = await store.create(draftWith({ key: 'k' }));
    assert.equal(first.idempotency, { key: 'k', fingerprint: 'of k' });
    assert.equal(await store.create(draftWith({ key: 'k', outputCount: 3, now: later(1) })), first);
    assert.equal(await allOf(store), [first]);
  },

  async 'a repeated create returns the first job in its current state'({ store, open }) {
    const { id } = await store.create(draftWith({ key: 'k' }));
    const cancelled = await store.update(id, applying({ type: 'cancelled' }));
    assert.equal(await store.create(draftWith({ key: 'k' })), cancelled);
    await store.close();
    assert.equal(await (await open()).create(draftWith({ key: 'k' })), cancelled);
  },

  async 'of concurrent creates with one key one is stored, and all return it'({ store }) {
    const jobs = await Promise.all(Array.from({ length: 30 }, () => store.create(draftWith({ key: 'k' }))));
    assert.is(new Set(jobs.map(({ id }) => id)).size, 1);
    assert.equal(await allOf(store), jobs.slice(0, 1));
  },

  async 'creates with different keys, of different accounts, or without a key are all stored'({ store }) {
    const drafts = [
      { accountId: 'anna', key: 'k' },
      { accountId: 'bert', key: 'k' },
      { accountId: 'anna', key: 'K' },
      { accountId: 'anna","k', key: 'k' },
      { accountId: 'anna' },
      { accountId: 'anna' },
    ];
    await Promise.all(drafts.map((options) => store.create(draftWith(options))));
    assert.is((await allOf(store)).length, drafts.length);
  },

  async 'a key refers to its job for 24 hours, then to the next one, across restarts too'(context) {
    let { store } = context;
    const reopen = async () => {
      await store.close();
      store = await context.open();
    };
    const first = await store.create(draftWith({ key: 'k' }));
    const other = await store.create(draftWith({ key: 'other', now: later(20) }));
    assert.equal(await store.create(draftWith({ key: 'k', now: later(24, -1) })), first);
    await reopen();
    assert.equal(await store.create(draftWith({ key: 'k', now: later(24, -1) })), first);
    const second = await store.create(draftWith({ key: 'k', now: later(24) }));
    assert.ok(second.id > first.id);
    for (const isReopened of [false, true]) {
      if (isReopened) await reopen();
      assert.equal(await store.create(draftWith({ key: 'other', now: later(44, -1) })), other);
      assert.equal(await store.create(draftWith({ key: 'k', now: later(47) })), second);
    }
    // A change of the first job, which is older than 24 hours, does not restore its claim to the key.
    await store.update(first.id, applying({ type: 'cancelled' }));
    assert.equal(await store.findByIdempotencyKey('anna', 'k', ever), second);
    const third = await store.create(draftWith({ key: 'k', now: later(1000) }));
    assert.equal(await store.findByIdempotencyKey('anna', 'k', later(999)), third);
    assert.is((await allOf(store)).length, 4);
  },

  async 'the job of a key is found by account and earliest creation time'({ store }) {
    const job = await store.create(draftWith({ key: 'k' }));
    assert.equal(await store.findByIdempotencyKey('anna', 'k', later(0, -1)), job);
    assert.is(await store.findByIdempotencyKey('anna', 'k', later(0)), null);
    assert.is(await store.findByIdempotencyKey('bert', 'k', ever), null);
    assert.is(await store.findByIdempotencyKey('anna', 'K', ever), null);
  },

  async 'a create under a key that fails for lack of space leaves the key unused'({ createHarness }) {
    await retryAfterEachStep(createHarness, 'no space');
  },

  async 'a create under a key that is repeated after the process crashed is stored once'({ createHarness }) {
    await retryAfterEachStep(createHarness, 'process');
  },

  async 'a create under a key that is repeated after the machine crashed is stored once'({ createHarness }) {
    await retryAfterEachStep(createHarness, 'machine');
  },
};
