import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import {
  allOf,
  type Death,
  draftFor,
  making,
  marking,
  type StoreFacts,
  type StoreHarness,
} from './store-facts.js';

/** An update that a fault can strike: how the job comes to be, and what happens to it. */
interface Deed {
  readonly prepare: (store: JobStore) => Promise<Job>;
  readonly change: (job: Job) => Job;
}

const finalJob = async (store: JobStore) => {
  const { id } = await store.create(draftFor());
  return store.update(id, making({ type: 'cancelled' }));
};

const deeds: Readonly<Record<string, Deed | null>> = {
  // null: the deed is the making of a job.
  'a create': null,
  'an update': { prepare: (store) => store.create(draftFor()), change: marking('a') },
  'becoming final': { prepare: (store) => store.create(draftFor()), change: making({ type: 'cancelled' }) },
  'a change of a final job': { prepare: finalJob, change: marking('a') },
  'being taken back': { prepare: finalJob, change: making({ type: 'resubmitted' }) },
};

interface Tried {
  /** The job before the deed; null for a create. */
  readonly before: Job | null;
  /** What the deed resolved to, or the error it rejected with. */
  readonly outcome: Job | Error;
}

/** Arms a fault, then does the deed. */
async function attempt(store: JobStore, deed: Deed | null, arm: () => void): Promise<Tried> {
  const before = deed === null ? null : await deed.prepare(store);
  arm();
  const done =
    deed === null || before === null
      ? store.create(draftFor('anna', 2))
      : store.update(before.id, deed.change);
  const outcome = await done.catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  return { before, outcome };
}

/** More than any store takes for one deed: ends a sweep that never gets through. */
const stepLimit = 200;

/** Lets the machine or process die at each step of a deed in turn, and at last after it. */
async function dieAtEachStep(harness: StoreHarness, deed: Deed | null, death: Death): Promise<void> {
  for (let step = 0; step < stepLimit; step += 1) {
    const room = await harness();
    const store = await room.open();
    const bystander = deed === null ? null : await store.create(draftFor('bystander'));
    const tried = await attempt(store, deed, () => room.faults.dieAt(step, death));
    const { hasStruck } = room.faults;
    await room.die(death);

    const reopened = await room.open();
    const all = await allOf(reopened);
    const left = all.filter(({ accountId }) => accountId === 'anna');
    assertWhole(left, deed, tried, `step ${step}`);
    assert.equal(
      all.filter(({ accountId }) => accountId !== 'anna'),
      bystander === null ? [] : [bystander],
    );
    assert.equal(await reopened.active(), all.filter(({ state }) => state === 'waiting').reverse());
    const next = await reopened.create(draftFor());
    for (const { outputs } of all) assert.ok(outputs.every(({ id }) => id < next.id));
    await reopened.close();
    if (hasStruck) continue;
    assert.ok(step > 0, 'the deed takes no step that could be struck');
    assert.not.instance(tried.outcome, Error);
    return;
  }
  assert.unreachable('the deed has no end');
}

/** What is left of a deed that may have been struck is all of it or, unless it resolved, nothing of it. */
function assertWhole(
  left: readonly Job[],
  deed: Deed | null,
  { before, outcome }: Tried,
  where: string,
): void {
  if (!(outcome instanceof Error)) {
    assert.equal(left, [outcome], where);
  } else if (deed === null || before === null) {
    // Nobody was told of the job; should it be there, it has all its parts.
    assert.ok(left.length <= 1 && left.every(({ outputs }) => outputs.length === 2), where);
  } else {
    const isOld = left[0]?.claim === before.claim && left[0].state === before.state;
    assert.equal(left, [isOld ? before : deed.change(before)], where);
  }
}

/** Lets the room run out at each step of a deed in turn. */
async function noRoomAtEachStep(harness: StoreHarness, deed: Deed | null): Promise<void> {
  for (let step = 0; step < stepLimit; step += 1) {
    const room = await harness();
    const store = await room.open();
    const tried = await attempt(store, deed, () => room.faults.noRoomAt(step));
    const { hasStruck } = room.faults;

    const left = await allOf(store);
    if (tried.outcome instanceof Error) {
      assert.ok(isVencError(tried.outcome, 'OutOfSpaceError'), `step ${step}`);
      if (deed === null) assert.equal(left, [], `step ${step}`);
    }
    assertWhole(left, deed, tried, `step ${step}`);
    await room.die('process');
    const reopened = await room.open();
    assert.equal(await allOf(reopened), left, `step ${step}`);
    // With room again, work goes on.
    const { id } = await reopened.create(draftFor());
    for (const job of [{ id }, ...left]) await reopened.update(job.id, marking('with room again'));
    await reopened.close();
    if (hasStruck) continue;
    assert.ok(step > 0, 'the deed takes no step that could be struck');
    return;
  }
  assert.unreachable('the deed has no end');
}

const facts: [string, StoreFacts[string]][] = [];
for (const [name, deed] of Object.entries(deeds)) {
  for (const death of ['process', 'machine'] as const) {
    facts.push([
      `${name} is there whole or not at all, wherever the ${death} dies, and for good once it resolved`,
      ({ harness }) => dieAtEachStep(harness, deed, death),
    ]);
  }
  facts.push([
    `${name} for which there is no room is refused with OutOfSpaceError, and what is shown is what is kept`,
    ({ harness }) => noRoomAtEachStep(harness, deed),
  ]);
}

/** What a crash or a full disk leaves. */
export const enduring: StoreFacts = Object.fromEntries(facts);
