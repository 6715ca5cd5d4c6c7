import { mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toWriteError } from '../../../daemon/store/data-folder/disk-errors.js';
import { Sequence } from '../../../daemon/store/data-folder/sequence.js';
import { isVencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { applying, draftFor } from '../../contracts/job-store/store-facts.js';
import { FailingDisk } from '../../helpers/failing-disk.js';
import { createJsonStoreHarness } from '../../helpers/json-store-harness.js';
import { tempFolder } from '../../helpers/temp.js';

interface Context {
  path: string;
  disk: FailingDisk;
  open: (maxId?: number) => Promise<Sequence>;
}

const test = suite<Context>('the sequence of ids');

test.before.each((context) => {
  context.path = join(tempFolder(), 'sequence.json');
  context.disk = new FailingDisk();
  context.open = (maxId = 0) =>
    Sequence.open(new AtomicFiles(context.disk, toWriteError), context.path, maxId);
});

test('ids begin at 1 and are consecutive', async ({ open }) => {
  const sequence = await open();
  assert.equal(
    [await sequence.allocate(4), await sequence.allocate(3), await sequence.allocate(1)],
    [1, 5, 8],
  );
});

test('most allocations write nothing', async ({ open, disk }) => {
  const sequence = await open();
  await sequence.allocate(3);
  disk.crashAt(0, 'process');
  for (let count = 0; count < 300; count += 1) await sequence.allocate(3);
  assert.not.ok(disk.hasTriggered);
});

test('after an orderly close the next id follows on the last', async ({ open }) => {
  const sequence = await open();
  await sequence.allocate(4);
  await sequence.close();
  assert.is(await (await open(1)).allocate(1), 5);
});

test('after a crash the ids begin after the reserved block', async ({ open, path }) => {
  const sequence = await open();
  await sequence.allocate(4);
  const { next } = JSON.parse(readFileSync(path, 'utf8'));
  assert.is(await (await open(1)).allocate(1), next);
  assert.ok(next > 5);
});

test('concurrent allocations that exhaust a block share the next one', async ({ open }) => {
  const sequence = await open();
  const firsts = await Promise.all(Array.from({ length: 50 }, () => sequence.allocate(100)));
  assert.equal(
    firsts.sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, index) => 1 + index * 100),
  );
});

test('a block that cannot be reserved for lack of space is not used, and the next allocation tries again', async ({
  open,
  disk,
}) => {
  const sequence = await open();
  disk.failWithoutSpaceAt(1);
  const error = await sequence.allocate(1).catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'OutOfSpaceError'));
  assert.is(await sequence.allocate(1), 1);
});

for (const { what, spoil } of [
  { what: 'lost', spoil: (path: string) => unlinkSync(path) },
  { what: 'damaged', spoil: (path: string) => writeFileSync(path, '{"next":') },
  { what: 'older than the jobs', spoil: (path: string) => writeFileSync(path, '{"next":2}') },
  { what: 'of a wrong type', spoil: (path: string) => writeFileSync(path, '{"next":"1e9"}') },
]) {
  test(`if the file is ${what}, ids begin far above all known ids`, async ({ open, path }) => {
    await (await open()).allocate(4);
    spoil(path);
    const first = await (await open(700)).allocate(1);
    assert.ok(first > 700 + 50_000 && first < 2 ** 31);
  });
}

test('ids stay below 2^31, and then allocation fails', async ({ open, path }) => {
  writeFileSync(path, JSON.stringify({ next: 2 ** 31 - 4 }));
  const sequence = await open();
  assert.is(await sequence.allocate(4), 2 ** 31 - 4);
  const error = await sequence.allocate(1).catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'UnavailableError'));
});

test('only the owner can read the file', async ({ open, path }) => {
  await (await open()).allocate(1);
  assert.is(statSync(path).mode & 0o777, 0o600);
});

test('a store without its sequence file also considers final jobs and emptied folders', async () => {
  const harness = await createJsonStoreHarness();
  const store = await harness.open();
  const job = await store.create(draftFor());
  await store.update(job.id, applying({ type: 'cancelled' }));
  await store.close();
  unlinkSync(join(harness.folder, 'sequence.json'));
  const again = await harness.open();
  assert.ok((await again.create(draftFor())).id > (job.outputs[0]?.id ?? 0));
  await again.close();
  unlinkSync(join(harness.folder, 'sequence.json'));
  mkdirSync(join(harness.folder, 'jobs', 'done', '900'));
  const last = await harness.open();
  assert.ok((await last.create(draftFor())).id > 900_999);
});

test.run();
