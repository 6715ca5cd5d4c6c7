import * as assert from 'uvu/assert';
import { isVencError } from '../../../src/shared/errors.js';
import {
  allOf,
  applying,
  draftWith,
  finishUpdates,
  type StoreContext,
  type StoreFacts,
  startUpdates,
  updateAll,
} from './store-facts.js';

const allDays = { accountId: 'anna', from: '0000-01-01', to: '9999-12-31' };

/** A finished job with one hosted output of two seconds. */
async function finished({ store }: Pick<StoreContext, 'store'>, key?: string) {
  const job = await store.create(draftWith(key === undefined ? {} : { key }));
  return updateAll(store, job, [...startUpdates, ...finishUpdates(job.outputs[0]?.id ?? 0, 2)]);
}

const rejectionOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** Removing jobs. */
export const removalFacts: StoreFacts = {
  async 'a removed job is not found, now and after a restart, and its usage stays'(context) {
    const { store, open, crash } = context;
    const [gone, remaining] = [await finished(context), await finished(context)];
    const usage = await store.usage(allDays);
    assert.equal(await store.remove(gone.id), gone);
    const check = async (one: typeof store) => {
      assert.is(await one.get(gone.id), null);
      assert.is(await one.findByFile(gone.input.id), null);
      assert.equal(
        (await allOf(one)).map(({ id }) => id),
        [remaining.id],
      );
      assert.equal(await one.usage(allDays), usage);
      assert.ok(isVencError(await rejectionOf(one.remove(gone.id)), 'NotFoundError'));
      assert.ok(
        isVencError(
          await rejectionOf(one.update(gone.id, applying({ type: 'resubmitted' }))),
          'NotFoundError',
        ),
      );
    };
    await check(store);
    await store.close();
    const reopened = await open();
    await check(reopened);
    await crash('process');
    await check(await open());
  },

  async 'a job that is not final is not removed'({ store }) {
    const job = await store.create(draftWith({}));
    assert.ok(isVencError(await rejectionOf(store.remove(job.id)), 'ConflictError'));
    assert.equal(await store.get(job.id), job);
  },

  async 'the ids of a removed job are never assigned again, even if it was the newest'(context) {
    const job = await finished(context);
    await context.store.remove(job.id);
    await context.store.close();
    const next = await (await context.open()).create(draftWith({}));
    assert.ok(next.id > (job.outputs[0]?.id ?? 0));
  },

  async 'the idempotency key of a removed job can be used again'(context) {
    const job = await finished(context, 'once');
    await context.store.remove(job.id);
    const next = await context.store.create(draftWith({ key: 'once' }));
    assert.ok(next.id > job.id);
  },

  async 'the hosted files of a removed job are reported to the next process until they are deleted'(context) {
    const job = await finished(context);
    await context.store.remove(job.id);
    await context.crash('machine');
    const next = await context.open();
    assert.equal(next.removedFiles(), [job.outputs[0]?.destination]);
    await next.forgetRemovedFiles();
    await next.close();
    const last = await context.open();
    assert.equal(last.removedFiles(), []);
    assert.is((await last.usage(allDays)).length, 1);
  },

  async 'hosted files that were deleted are not reported to the next process'(context) {
    const { store } = context;
    const jobs = [await finished(context), await finished(context)];
    await Promise.all(jobs.map(({ id }) => store.remove(id)));
    await store.forgetFilesOf(jobs);
    await context.crash('machine');
    const next = await context.open();
    assert.equal(next.removedFiles(), []);
    assert.equal(await next.get(jobs[0]?.id ?? 0), null);
  },

  async 'jobs that ended first are removable, except those with pending notifications'({
    store,
    open,
    crash,
  }) {
    const end = async (day: number, pending = false) => {
      const job = await store.create(draftWith({}));
      const finishedAt = `2024-05-0${day}T00:00:00.000Z`;
      const notification = {
        id: 'msg',
        outputId: null,
        target: { url: 'http://localhost/', format: 'json', headers: {} },
        attempts: 0,
        dueAt: finishedAt,
      } as const;
      await store.update(job.id, (before) => ({
        ...before,
        state: 'failed',
        finishedAt,
        pendingNotifications: pending ? [notification] : [],
      }));
      return job.id;
    };
    const [third, first, second] = [await end(3), await end(1), await end(2)];
    await end(1, true);
    await store.create(draftWith({}));
    const all = { endedBefore: null, maxCount: null, limit: 9 };
    const check = async (one: typeof store) => {
      const dayThree = new Date('2024-05-03T00:00:00.000Z');
      assert.equal(await one.listRemovable(all), []);
      assert.equal(await one.listRemovable({ ...all, endedBefore: dayThree }), [first, second]);
      assert.equal(await one.listRemovable({ ...all, endedBefore: dayThree, limit: 1 }), [first]);
      assert.equal(await one.listRemovable({ ...all, maxCount: 0 }), [first, second, third]);
      assert.equal(await one.listRemovable({ ...all, maxCount: 2 }), [first]);
    };
    await check(store);
    await crash('process');
    await check(await open());
  },

  async 'many jobs can be removed concurrently'(context) {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => finished(context)));
    const usage = await context.store.usage(allDays);
    await Promise.all(jobs.map(({ id }) => context.store.remove(id)));
    await context.crash('machine');
    const next = await context.open();
    assert.equal(await allOf(next), []);
    assert.equal(await next.usage(allDays), usage);
  },

  async 'a crash at any step of a removal leaves the whole job or nothing of it, and the usage unchanged'({
    createHarness,
  }) {
    for (const kind of ['process', 'machine'] as const) {
      let hasTriggered = true;
      for (let step = 0; hasTriggered; step += 1) {
        const harness = await createHarness();
        const store = await harness.open();
        const job = await finished({ store });
        const usage = await store.usage(allDays);
        harness.failures.crashAt(step, kind);
        const isRemoved = await store.remove(job.id).then(
          () => true,
          () => false,
        );
        hasTriggered = harness.failures.hasTriggered;
        await harness.crash(kind);
        const next = await harness.open();
        const left = await next.get(job.id);
        if (isRemoved) assert.is(left, null, `${kind} at step ${step}`);
        else if (left !== null) assert.equal(left, job);
        assert.equal(await next.usage(allDays), usage, `${kind} at step ${step}`);
        assert.equal(next.removedFiles().length, left === null ? 1 : 0);
        await next.close();
      }
    }
  },
};
