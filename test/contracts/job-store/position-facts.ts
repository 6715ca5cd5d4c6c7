import * as assert from 'uvu/assert';
import { allOf, applying, draftFor, type StoreContext, type StoreFacts, withClaim } from './store-facts.js';

const cancelled = applying({ type: 'cancelled' });

/** Jobs of two accounts that change after a position: one is changed, one is created, and one is removed. */
async function change({ store }: Pick<StoreContext, 'store'>) {
  const [changed, gone] = [await store.create(draftFor()), await store.create(draftFor())];
  await store.update(gone.id, cancelled);
  const position = await store.readPosition();
  await store.update(changed.id, withClaim('a'));
  await store.remove(gone.id);
  const [created, foreign] = [await store.create(draftFor()), await store.create(draftFor('bert'))];
  return { position, changed: [changed.id, created.id], gone: gone.id, foreign: foreign.id };
}

type Changes = Awaited<ReturnType<typeof change>>;

async function requireKnown(store: StoreContext['store'], made: Changes): Promise<void> {
  const ofAnna = await store.changesSince(made.position, 'anna');
  for (const id of made.changed) assert.ok(ofAnna?.changed.includes(id), `${id} has changed`);
  assert.equal(ofAnna?.removed, [made.gone]);
  assert.not.ok(ofAnna?.changed.includes(made.foreign), 'a job of another account');
  assert.ok((await store.changesSince(made.position, null))?.changed.includes(made.foreign));
  assert.equal((await store.changesSince(made.position, 'bert'))?.removed, []);
}

/** Positions in the order of changes. */
export const positionFacts: StoreFacts = {
  async 'what has changed since a position is known, also after a restart and with later changes'(context) {
    const made = await change(context);
    await requireKnown(context.store, made);
    await context.store.close();
    const reopened = await context.open();
    await requireKnown(reopened, made);
    const [, second = 0] = made.changed;
    await reopened.update(second, withClaim('b'));
    await requireKnown(reopened, made);
  },

  async 'after a crash, a position is unknown or all changes since are known'(context) {
    const made = await change(context);
    await context.crash('machine');
    const reopened = await context.open();
    const changes = await reopened.changesSince(made.position, null);
    if (changes !== null) await requireKnown(reopened, made);
    await reopened.close();
    // One more close and start must not make it known again.
    const third = await context.open();
    assert.is((await third.changesSince(made.position, null)) === null, changes === null);
  },

  async 'all that was reported to listeners is before a later position'({ store }) {
    const { id } = await store.create(draftFor());
    const reported = store.reportedPosition();
    await store.update(id, withClaim('a'));
    assert.ok((await store.changesSince(reported, null))?.changed.includes(id));
    assert.ok((await store.changesSince(await store.readPosition(), null)) !== null);
  },

  async 'the order does not depend on the clock'({ store }) {
    const { id } = await store.create(draftFor());
    const position = await store.readPosition();
    await store.update(id, applying({ type: 'cancelled' }, new Date('1971-01-01T00:00:00Z')));
    assert.ok((await store.changesSince(position, null))?.changed.includes(id));
  },

  async 'other texts are no positions'({ store }) {
    await store.create(draftFor());
    const position = await store.readPosition();
    for (const text of [
      '',
      'x',
      '-1',
      '1e3',
      `${position}000`,
      `${position} `,
      '9'.repeat(18),
      "1'",
      '0123-5',
    ])
      assert.is(await store.changesSince(text, null), null, text);
  },

  async 'removals are reported, and those that fail are not'({ store }) {
    const [removed, active] = [await store.create(draftFor()), await store.create(draftFor())];
    await store.update(removed.id, cancelled);
    const calls: (readonly [number, string])[] = [];
    const stop = store.watchRemoved({
      onRemoved: (id, accountId) => calls.push([id, accountId]),
      onGap: () => undefined,
    });
    await store.remove(active.id).catch(() => undefined);
    assert.equal(calls, []);
    await store.remove(removed.id);
    assert.equal(calls, [[removed.id, 'anna']]);
    stop();
    await store.update(active.id, cancelled);
    await store.remove(active.id);
    assert.is(calls.length, 1);
    assert.equal(await allOf(store), []);
  },
};
