import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import {
  allOf,
  applying,
  type CrashKind,
  type CreateStoreHarness,
  draftFor,
  type StoreFacts,
  withClaim,
} from './store-facts.js';

/** An update that a fault can strike: how the job comes to be, and what happens to it. */
interface Operation {
  readonly prepare: (store: JobStore) => Promise<Job>;
  readonly change: (job: Job) => Job;
}

const finalJob = async (store: JobStore) => {
  const { id } = await store.create(draftFor());
  return store.update(id, applying({ type: 'cancelled' }));
};

const operations: Readonly<Record<string, Operation | null>> = {
  // null: the deed is the making of a job.
  'a create': null,
  'an update': { prepare: (store) => store.create(draftFor()), change: withClaim('a') },
  'becoming final': { prepare: (store) => store.create(draftFor()), change: applying({ type: 'cancelled' }) },
  'a change of a final job': { prepare: finalJob, change: withClaim('a') },
  'being taken back': { prepare: finalJob, change: applying({ type: 'resubmitted' }) },
};

interface OperationResult {
  /** The job before the deed; null for a create. */
  readonly before: Job | null;
  /** What the deed resolved to, or the error it rejected with. */
  readonly outcome: Job | Error;
}

/** Arms a fault, then does the deed. */
async function runOperation(
  store: JobStore,
  operation: Operation | null,
  arm: () => void,
): Promise<OperationResult> {
  const before = operation === null ? null : await operation.prepare(store);
  arm();
  const done =
    operation === null || before === null
      ? store.create(draftFor('anna', 2))
      : store.update(before.id, operation.change);
  const outcome = await done.catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  return { before, outcome };
}

/** More than any store takes for one deed: ends a sweep that never gets through. */
const stepLimit = 200;

/** Lets the machine or process die at each step of a deed in turn, and at last after it. */
async function crashAtEachStep(
  createHarness: CreateStoreHarness,
  operation: Operation | null,
  crashKind: CrashKind,
): Promise<void> {
  for (let step = 0; step < stepLimit; step += 1) {
    const harness = await createHarness();
    const store = await harness.open();
    const otherJob = operation === null ? null : await store.create(draftFor('bystander'));
    const result = await runOperation(store, operation, () => harness.faults.crashAt(step, crashKind));
    const { hasTriggered } = harness.faults;
    await harness.crash(crashKind);

    const reopened = await harness.open();
    const all = await allOf(reopened);
    const left = all.filter(({ accountId }) => accountId === 'anna');
    assertAllOrNothing(left, operation, result, `step ${step}`);
    assert.equal(
      all.filter(({ accountId }) => accountId !== 'anna'),
      otherJob === null ? [] : [otherJob],
    );
    assert.equal(await reopened.active(), all.filter(({ state }) => state === 'waiting').reverse());
    const next = await reopened.create(draftFor());
    for (const { outputs } of all) assert.ok(outputs.every(({ id }) => id < next.id));
    await reopened.close();
    if (hasTriggered) continue;
    assert.ok(step > 0, 'the deed takes no step that could be struck');
    assert.not.instance(result.outcome, Error);
    return;
  }
  assert.unreachable('the deed has no end');
}

/** What is left of a deed that may have been struck is all of it or, unless it resolved, nothing of it. */
function assertAllOrNothing(
  left: readonly Job[],
  operation: Operation | null,
  { before, outcome }: OperationResult,
  where: string,
): void {
  if (!(outcome instanceof Error)) {
    assert.equal(left, [outcome], where);
  } else if (operation === null || before === null) {
    // Nobody was told of the job; should it be there, it has all its parts.
    assert.ok(left.length <= 1 && left.every(({ outputs }) => outputs.length === 2), where);
  } else {
    const isOld = left[0]?.claim === before.claim && left[0].state === before.state;
    assert.equal(left, [isOld ? before : operation.change(before)], where);
  }
}

/** Lets the room run out at each step of a deed in turn. */
async function failWithoutSpaceAtEachStep(
  createHarness: CreateStoreHarness,
  operation: Operation | null,
): Promise<void> {
  for (let step = 0; step < stepLimit; step += 1) {
    const harness = await createHarness();
    const store = await harness.open();
    const result = await runOperation(store, operation, () => harness.faults.failWithoutSpaceAt(step));
    const { hasTriggered } = harness.faults;

    const left = await allOf(store);
    if (result.outcome instanceof Error) {
      assert.ok(isVencError(result.outcome, 'OutOfSpaceError'), `step ${step}`);
      if (operation === null) assert.equal(left, [], `step ${step}`);
    }
    assertAllOrNothing(left, operation, result, `step ${step}`);
    await harness.crash('process');
    const reopened = await harness.open();
    assert.equal(await allOf(reopened), left, `step ${step}`);
    // With room again, work goes on.
    const { id } = await reopened.create(draftFor());
    for (const job of [{ id }, ...left]) await reopened.update(job.id, withClaim('with room again'));
    await reopened.close();
    if (hasTriggered) continue;
    assert.ok(step > 0, 'the deed takes no step that could be struck');
    return;
  }
  assert.unreachable('the deed has no end');
}

const facts: [string, StoreFacts[string]][] = [];
for (const [name, operation] of Object.entries(operations)) {
  for (const crashKind of ['process', 'machine'] as const) {
    facts.push([
      `${name} is there whole or not at all, wherever the ${crashKind} dies, and for good once it resolved`,
      ({ createHarness }) => crashAtEachStep(createHarness, operation, crashKind),
    ]);
  }
  facts.push([
    `${name} for which there is no room is refused with OutOfSpaceError, and what is shown is what is kept`,
    ({ createHarness }) => failWithoutSpaceAtEachStep(createHarness, operation),
  ]);
}

/** What a crash or a full disk leaves. */
export const crashFacts: StoreFacts = Object.fromEntries(facts);
