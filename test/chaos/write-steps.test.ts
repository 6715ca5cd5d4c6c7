import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openChaosSuite } from '../helpers/chaos/chaos-suite.js';
import { type DiskFailureKind, diskFailureKinds, type FsFailures } from '../helpers/chaos/disk-failures.js';
import { fileOperations } from '../helpers/chaos/file-operations.js';
import { installFsFailures } from '../helpers/chaos/fs-failures.js';
import { jobOperations } from '../helpers/chaos/job-operations.js';
import { accountOperations, type WriteOperation } from '../helpers/chaos/write-operations.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('a failure at each write step');
const chaos = openChaosSuite('write-steps');
/** In memory if possible: the test needs no durable disk, and thousands of fsyncs would slow down all other tests. */
const root = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/venc-test-') : tempFolder();
const operations = { ...jobOperations, ...accountOperations, ...fileOperations(root, tempFolder()) };
/** More steps than any operation takes. Bounds the loop if a failure never stops to occur. */
const stepLimit = 100;
const counts = { operations: 0, failures: 0, acknowledged: 0, rejected: 0 };

test.after(() => {
  rmSync(root, { recursive: true, force: true });
  chaos.close(counts);
});

for (const [name, operation] of Object.entries(operations)) {
  test(`${name}: is done or not done, and works again`, async () => {
    const failures = await installFsFailures();
    for (const kind of diskFailureKinds)
      for (const isLasting of lastingForms(kind)) await failAtEachStep(failures, operation, kind, isLasting);
    counts.operations += 1;
  });

  if (operation.isVolatile === true) continue;
  test(`${name}: an acknowledged change survives a power cut`, async () => {
    const failures = await installFsFailures();
    const folder = newFolder();
    const prepared = await operation.prepare(folder);
    failures.watch(folder);
    await prepared.act();
    const lost = failures.unsynced;
    failures.watch('');
    await prepared.close?.();
    assert.equal(lost, []);
  });
}

/** In the short form, only a full and a broken disk stay so. */
function lastingForms(kind: DiskFailureKind): readonly boolean[] {
  return chaos.isLong || kind === 'ENOSPC' || kind === 'EIO' ? [false, true] : [false];
}

async function failAtEachStep(
  failures: FsFailures,
  operation: WriteOperation,
  kind: DiskFailureKind,
  isLasting: boolean,
): Promise<void> {
  for (let afterSteps = 0; afterSteps < stepLimit; afterSteps += 1) {
    const where = `${isLasting ? 'lasting ' : ''}${kind} after ${afterSteps} steps`;
    const folder = newFolder();
    const prepared = await operation.prepare(folder);
    failures.arm({ folder, kind, afterSteps, isLasting });
    const outcome = await prepared.act().then(
      () => null,
      (error: unknown) => error,
    );
    failures.clear();
    const { hasTriggered } = failures;
    // The store keeps the journal open.
    const open = failures
      .openFiles(folder)
      .filter((path) => !path.startsWith(join(folder, 'jobs', 'journal')));
    assert.equal(open, [], `${where}: files stay open`);
    forgetLocks(folder);

    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    ageTemporaryFiles(copy);
    const state = await prepared.stateIn(copy);
    const isDone = outcome === null && operation.isBestEffort !== true;
    assert.ok(isDone ? state === 'after' : /^(before|after)$/.test(state), `${where}: ${state}, ${outcome}`);
    assert.ok(outcome === null || outcome instanceof Error, where);
    // A disk that fails once lets the operation clean up.
    if (!isLasting && kind !== 'EIO') assert.equal(temporaryNames(folder), [], where);

    await prepared.act().catch((error: unknown) => assert.unreachable(`${where}, then again: ${error}`));
    await prepared.close?.();
    ageTemporaryFiles(folder);
    assert.is(await prepared.stateIn(folder), 'after', `${where}, then again`);
    rmSync(folder, { recursive: true });
    rmSync(copy, { recursive: true });
    if (!hasTriggered) return;
    counts.failures += 1;
    counts[outcome === null ? 'acknowledged' : 'rejected'] += 1;
  }
  assert.unreachable(`${kind}: the operation never succeeds`);
}

/**
 * Removes the locks that a failure left. Here the next attempt is made by the process that left them; outside of this test by another one,
 * which takes over the lock of a process that has ended.
 */
function forgetLocks(folder: string): void {
  for (const name of ['lock', 'accounts.lock']) rmSync(join(folder, name), { force: true });
}

/** Makes temporary files so old that the next start removes them. */
function ageTemporaryFiles(folder: string): void {
  const old = new Date(Date.now() - 3_600_000);
  for (const name of temporaryNames(folder)) utimesSync(join(folder, name), old, old);
}

let folderCount = 0;

function newFolder(): string {
  folderCount += 1;
  const folder = join(root, String(folderCount));
  mkdirSync(folder);
  return folder;
}

function temporaryNames(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /(^|\/)\.tmp-|\.part$/.test(name));
}

test.run();
