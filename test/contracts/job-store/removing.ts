import * as assert from 'uvu/assert';
import { isVencError } from '../../../src/shared/errors.js';
import {
  allOf,
  beginning,
  draftWith,
  finishing,
  making,
  type StoreContext,
  type StoreFacts,
  updateAll,
} from './store-facts.js';

const always = { accountId: 'anna', from: '0000-01-01', to: '9999-12-31' };

/** A finished job of one hosted output of two seconds. */
async function finished({ store }: Pick<StoreContext, 'store'>, key?: string) {
  const job = await store.create(draftWith(key === undefined ? {} : { key }));
  return updateAll(store, job, [...beginning, ...finishing(job.outputs[0]?.id ?? 0, 2)]);
}

const refusal = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** What becomes of jobs that are removed. */
export const removing: StoreFacts = {
  async 'a removed job is nowhere, now and after a restart, and its usage stays'(context) {
    const { store, open, die } = context;
    const [gone, kept] = [await finished(context), await finished(context)];
    const usage = await store.usage(always);
    assert.equal(await store.remove(gone.id), gone);
    const check = async (one: typeof store) => {
      assert.is(await one.get(gone.id), null);
      assert.is(await one.findByFile(gone.input.id), null);
      assert.equal(
        (await allOf(one)).map(({ id }) => id),
        [kept.id],
      );
      assert.equal(await one.usage(always), usage);
      assert.ok(isVencError(await refusal(one.remove(gone.id)), 'NotFoundError'));
      assert.ok(
        isVencError(await refusal(one.update(gone.id, making({ type: 'resubmitted' }))), 'NotFoundError'),
      );
    };
    await check(store);
    await store.close();
    const reopened = await open();
    await check(reopened);
    await die('process');
    await check(await open());
  },

  async 'a job that has not ended is not removed'({ store }) {
    const job = await store.create(draftWith({}));
    assert.ok(isVencError(await refusal(store.remove(job.id)), 'ConflictError'));
    assert.equal(await store.get(job.id), job);
  },

  async 'the ids of a removed job are never given again, though it was the newest'(context) {
    const job = await finished(context);
    await context.store.remove(job.id);
    await context.store.close();
    const next = await (await context.open()).create(draftWith({}));
    assert.ok(next.id > (job.outputs[0]?.id ?? 0));
  },

  async 'its idempotency key is free'(context) {
    const job = await finished(context, 'once');
    await context.store.remove(job.id);
    const next = await context.store.create(draftWith({ key: 'once' }));
    assert.ok(next.id > job.id);
  },

  async 'its hosted files are told to the next process until they are said to be gone'(context) {
    const job = await finished(context);
    await context.store.remove(job.id);
    await context.die('machine');
    const next = await context.open();
    assert.equal(next.removedFiles(), [job.outputs[0]?.destination]);
    await next.forgetRemovedFiles();
    await next.close();
    const last = await context.open();
    assert.equal(last.removedFiles(), []);
    assert.is((await last.usage(always)).length, 1);
  },

  async 'many that are removed at once are all gone'(context) {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => finished(context)));
    const usage = await context.store.usage(always);
    await Promise.all(jobs.map(({ id }) => context.store.remove(id)));
    await context.die('machine');
    const next = await context.open();
    assert.equal(await allOf(next), []);
    assert.equal(await next.usage(always), usage);
  },

  async 'a death at any step leaves the job or nothing of it, and the usage as it was'({ harness }) {
    for (const kind of ['process', 'machine'] as const) {
      let hasStruck = true;
      for (let step = 0; hasStruck; step += 1) {
        const room = await harness();
        const store = await room.open();
        const job = await finished({ store });
        const usage = await store.usage(always);
        room.faults.dieAt(step, kind);
        const isTold = await store.remove(job.id).then(
          () => true,
          () => false,
        );
        hasStruck = room.faults.hasStruck;
        await room.die(kind);
        const next = await room.open();
        const left = await next.get(job.id);
        if (isTold) assert.is(left, null, `${kind} at step ${step}`);
        else if (left !== null) assert.equal(left, job);
        assert.equal(await next.usage(always), usage, `${kind} at step ${step}`);
        assert.equal(next.removedFiles().length, left === null ? 1 : 0);
        await next.close();
      }
    }
  },
};
