import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteRangeSet, IncrementalMd5 } from '../../daemon/transfer/incremental-md5.js';
import { PartialFile } from '../../daemon/transfer/partial-file.js';
import { contentsOf, factsOf, sampleBytes, scratchFolder } from '../contracts/transport/evidence.js';

const film = sampleBytes(5_000_000);
const chunkBytes = 250_000;
/** Files of this size or more are large. */
const largeBytes = 1 << 25;
const offsets = Array.from({ length: film.byteLength / chunkBytes }, (_, index) => index * chunkBytes);
const chunkAt = (at: number) => film.subarray(at, at + chunkBytes);

const orders: readonly (readonly [what: string, offsets: readonly number[]])[] = [
  ['in order', offsets],
  ['backwards', offsets.toReversed()],
  ['every third one first', [0, 1, 2].flatMap((rest) => offsets.filter((_, index) => index % 3 === rest))],
];

for (const [what, order] of orders) {
  test(`a file written ${what} has the checksum of its bytes in order`, async () => {
    const path = join(scratchFolder(), 'in');
    const part = await PartialFile.create(path);
    for (const at of order)
      await part.writeAt([chunkAt(at).subarray(0, 1000), chunkAt(at).subarray(1000)], at);
    assert.is(part.sizeBytes, film.byteLength);
    assert.equal(await part.finish(path), factsOf(film));
    assert.ok(readFileSync(path).equals(film));
  });
}

test('concurrent writes have the checksum of their bytes in order', async () => {
  const path = join(scratchFolder(), 'in');
  const part = await PartialFile.create(path);
  await Promise.all(offsets.map((at) => part.writeAt([chunkAt(at)], at)));
  assert.equal(await part.finish(path), factsOf(film));
});

test('the checksum of a large file is computed in a worker while it is written, in any order, and restarts with the file', async () => {
  const path = join(scratchFolder(), 'in');
  const part = await PartialFile.create(path);
  part.expectSize(largeBytes);
  await part.write(Buffer.from('another film'));
  await part.reset();
  part.expectSize(largeBytes);
  await Promise.all(offsets.toReversed().map((at) => part.writeAt([chunkAt(at)], at)));
  assert.equal(await part.facts(), factsOf(film));
  await part.write(Buffer.from('more'));
  assert.equal(await part.finish(path), factsOf(Buffer.concat([film, Buffer.from('more')])));
});

test('two large files get their checksums concurrently, and one of them can be abandoned', async () => {
  const folder = scratchFolder();
  const [first, second, given] = await Promise.all(
    ['a', 'b', 'c'].map((name) => PartialFile.create(join(folder, name))),
  );
  if (first === undefined || second === undefined || given === undefined) throw new TypeError('three');
  for (const part of [first, second, given]) part.expectSize(largeBytes);
  await Promise.all([first.write(film), second.write(chunkAt(0)), given.write(film)]);
  await given.discard();
  assert.equal(await second.finish(join(folder, 'b')), factsOf(chunkAt(0)));
  assert.equal(await first.finish(join(folder, 'a')), factsOf(film));
  assert.equal(contentsOf(folder).toSorted(), ['a', 'b']);
});

test('a file that grows large during the download gets its checksum too', async () => {
  const path = join(scratchFolder(), 'in');
  const part = await PartialFile.create(path);
  const long = sampleBytes(largeBytes + 1_000_000);
  for (let at = 0; at < long.byteLength; at += 8_000_000) await part.write(long.subarray(at, at + 8_000_000));
  assert.equal(await part.finish(path), factsOf(long));
});

test('bytes that the worker cannot read are added to the checksum here', async () => {
  const handle = await open(join(scratchFolder(), 'in'), 'wx+');
  const sum = new IncrementalMd5(handle, '/no/such/file');
  sum.expectSize(largeBytes);
  await handle.write(film, 0, film.byteLength, 0);
  sum.markWritten(0, film.byteLength);
  assert.is(await sum.digest(), factsOf(film).md5);
  await sum.close();
  await handle.close();
});

test('the worker that waits for another file does not keep the process running', () => {
  const path = join(scratchFolder(), 'in');
  const long = sampleBytes(largeBytes);
  writeFileSync(path, long);
  const md5Module = new URL('../../daemon/transfer/incremental-md5.js', import.meta.url).href;
  const script = `import { md5OfFile } from ${JSON.stringify(md5Module)};
for (const round of [1, 2]) console.log(await md5OfFile(${JSON.stringify(path)}, new AbortController().signal));`;
  const words = ['--input-type=module', '-e', script];
  const { stdout, status } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 9_000 });
  const { md5 } = factsOf(long);
  assert.equal({ stdout, status }, { stdout: `${md5}\n${md5}\n`, status: 0 });
});

test('a restarted file forgets its contents, and a discarded one leaves nothing', async () => {
  const folder = scratchFolder();
  const path = join(folder, 'in');
  const part = await PartialFile.create(path);
  await part.writeAt([chunkAt(0)], chunkBytes);
  await part.reset();
  assert.is(part.sizeBytes, 0);
  await part.write(Buffer.from('film'));
  assert.equal(await part.finish(path), factsOf(Buffer.from('film')));
  const other = await PartialFile.create(join(folder, 'other'));
  await other.writeAt([chunkAt(0)], 100);
  await other.discard();
  assert.equal(contentsOf(folder), ['in']);
});

test('written bytes merge into ranges in any order', () => {
  const ranges = new ByteRangeSet();
  for (const [from, to] of [
    [10, 20],
    [30, 40],
    [0, 5],
    [15, 30],
    [7, 7],
  ] as const)
    ranges.add(from, to);
  assert.is(ranges.totalBytes, 35);
  assert.is(ranges.contiguousEnd(0), 5);
  assert.is(ranges.contiguousEnd(5), 5);
  assert.is(ranges.contiguousEnd(12), 40);
});

test.run();
