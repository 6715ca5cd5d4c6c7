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

/** An operation during which a failure is injected: how the job is prepared, and the update. */
interface Operation {
  readonly prepare: (store: JobStore) => Promise<Job>;
  readonly change: (job: Job) => Job;
}

const finalJob = async (store: JobStore) => {
  const { id } = await store.create(draftFor());
  return store.update(id, applying({ type: 'cancelled' }));
};

const operations: Readonly<Record<string, Operation | null>> = {
  // null: the operation is the creation of a job.
  'a create': null,
  'an update': { prepare: (store) => store.create(draftFor()), change: withClaim('a') },
  'an update to a final state': {
    prepare: (store) => store.create(draftFor()),
    change: applying({ type: 'cancelled' }),
  },
  'a change of a final job': { prepare: finalJob, change: withClaim('a') },
  'a resubmit': { prepare: finalJob, change: applying({ type: 'resubmitted' }) },
};

interface OperationResult {
  /** The job before the operation; null for a create. */
  readonly before: Job | null;
  /** The result of the operation, or the error it rejected with. */
  readonly outcome: Job | Error;
}

/** Arms a failure, then runs the operation. */
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

/** More steps than any operation takes. Bounds the loop if an operation never succeeds. */
const stepLimit = 200;

/** Crashes the process or machine at each step of an operation in turn, and finally after it. */
async function crashAtEachStep(
  createHarness: CreateStoreHarness,
  operation: Operation | null,
  crashKind: CrashKind,
): Promise<void> {
  for (let step = 0; step < stepLimit; step += 1) {
    const harness = await createHarness();
    const store = await harness.open();
    const otherJob = operation === null ? null : await store.create(draftFor('bystander'));
    const result = await runOperation(store, operation, () => harness.failures.crashAt(step, crashKind));
    const { hasTriggered } = harness.failures;
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
    assert.ok(step > 0, 'the operation has no step that can fail');
    assert.not.instance(result.outcome, Error);
    return;
  }
  assert.unreachable('the operation never succeeds');
}

/** Checks that a possibly interrupted operation is stored completely or, unless it resolved, not at all. */
function assertAllOrNothing(
  left: readonly Job[],
  operation: Operation | null,
  { before, outcome }: OperationResult,
  where: string,
): void {
  if (!(outcome instanceof Error)) {
    assert.equal(left, [outcome], where);
  } else if (operation === null || before === null) {
    // No client was given the id of the job. If the job is stored, it is complete.
    assert.ok(left.length <= 1 && left.every(({ outputs }) => outputs.length === 2), where);
  } else {
    const isOld = left[0]?.claim === before.claim && left[0].state === before.state;
    assert.equal(left, [isOld ? before : operation.change(before)], where);
  }
}

/** Fills the disk at each step of an operation in turn. */
async function failWithoutSpaceAtEachStep(
  createHarness: CreateStoreHarness,
  operation: Operation | null,
): Promise<void> {
  for (let step = 0; step < stepLimit; step += 1) {
    const harness = await createHarness();
    const store = await harness.open();
    const result = await runOperation(store, operation, () => harness.failures.failWithoutSpaceAt(step));
    const { hasTriggered } = harness.failures;

    const left = await allOf(store);
    if (result.outcome instanceof Error) {
      assert.ok(isVencError(result.outcome, 'OutOfSpaceError'), `step ${step}`);
      if (operation === null) assert.equal(left, [], `step ${step}`);
    }
    assertAllOrNothing(left, operation, result, `step ${step}`);
    await harness.crash('process');
    const reopened = await harness.open();
    assert.equal(await allOf(reopened), left, `step ${step}`);
    // Writes succeed again once there is space.
    const { id } = await reopened.create(draftFor());
    for (const job of [{ id }, ...left]) await reopened.update(job.id, withClaim('with space again'));
    await reopened.close();
    if (hasTriggered) continue;
    assert.ok(step > 0, 'the operation has no step that can fail');
    return;
  }
  assert.unreachable('the operation never succeeds');
}

const facts: [string, StoreFacts[string]][] = [];
for (const [name, operation] of Object.entries(operations)) {
  for (const crashKind of ['process', 'machine'] as const) {
    facts.push([
      `${name} is stored completely or not at all if the ${crashKind} crashes, and is durable once it resolved`,
      ({ createHarness }) => crashAtEachStep(createHarness, operation, crashKind),
    ]);
  }
  facts.push([
    `${name} without space on the disk is rejected with OutOfSpaceError, and the store shows what is on the disk`,
    ({ createHarness }) => failWithoutSpaceAtEachStep(createHarness, operation),
  ]);
}

/** The state of a store after a crash or on a full disk. */
export const crashFacts: StoreFacts = Object.fromEntries(facts);
