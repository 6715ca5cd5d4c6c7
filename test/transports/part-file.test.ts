import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteRanges } from '../../daemon/transports/byte-ranges.js';
import { PartFile } from '../../daemon/transports/part-file.js';
import { contentsOf, factsOf, sampleBytes, scratchFolder } from '../contracts/transport/evidence.js';

const film = sampleBytes(5_000_000);
const pieceBytes = 250_000;
const places = Array.from({ length: film.byteLength / pieceBytes }, (_, index) => index * pieceBytes);
const pieceAt = (at: number) => film.subarray(at, at + pieceBytes);

const orders: readonly (readonly [what: string, places: readonly number[]])[] = [
  ['in order', places],
  ['backwards', places.toReversed()],
  ['every third one first', [0, 1, 2].flatMap((rest) => places.filter((_, index) => index % 3 === rest))],
];

for (const [what, order] of orders) {
  test(`a file written ${what} is summed in order`, async () => {
    const path = join(scratchFolder(), 'in');
    const part = await PartFile.begin(path);
    for (const at of order)
      await part.writeAt([pieceAt(at).subarray(0, 1000), pieceAt(at).subarray(1000)], at);
    assert.is(part.sizeBytes, film.byteLength);
    assert.equal(await part.finish(path), factsOf(film));
    assert.ok(readFileSync(path).equals(film));
  });
}

test('writes side by side are summed in order', async () => {
  const path = join(scratchFolder(), 'in');
  const part = await PartFile.begin(path);
  await Promise.all(places.map((at) => part.writeAt([pieceAt(at)], at)));
  assert.equal(await part.finish(path), factsOf(film));
});

test('a file that is begun anew forgets what it held, and a discarded one leaves nothing', async () => {
  const folder = scratchFolder();
  const path = join(folder, 'in');
  const part = await PartFile.begin(path);
  await part.writeAt([pieceAt(0)], pieceBytes);
  await part.startOver();
  assert.is(part.sizeBytes, 0);
  await part.write(Buffer.from('film'));
  assert.equal(await part.finish(path), factsOf(Buffer.from('film')));
  const other = await PartFile.begin(join(folder, 'other'));
  await other.writeAt([pieceAt(0)], 100);
  await other.discard();
  assert.equal(contentsOf(folder), ['in']);
});

test('bytes that are there join to ranges, whatever their order', () => {
  const ranges = new ByteRanges();
  for (const [from, to] of [
    [10, 20],
    [30, 40],
    [0, 5],
    [15, 30],
    [7, 7],
  ] as const)
    ranges.add(from, to);
  assert.is(ranges.totalBytes, 35);
  assert.is(ranges.endFrom(0), 5);
  assert.is(ranges.endFrom(5), 5);
  assert.is(ranges.endFrom(12), 40);
});

test.run();
