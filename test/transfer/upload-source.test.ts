import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UploadSource } from '../../daemon/transfer/upload-source.js';
import { factsOf, sampleBytes } from '../contracts/transport/evidence.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const folder = tempFolder();
const sizes = {
  small: 1_000_003,
  // A worker computes the checksum of a file of this size.
  large: 40_000_003,
};
const fileOf = (sizeBytes: number) => {
  const bytes = sampleBytes(sizeBytes);
  const path = join(folder, String(sizeBytes));
  writeFileSync(path, bytes);
  return { bytes, path };
};

const isHeld = (path: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });

for (const [name, sizeBytes] of Object.entries(sizes)) {
  const { bytes, path } = fileOf(sizeBytes);

  test(`the checksum of a ${name} file is computed while it is read`, async () => {
    const file = await UploadSource.open(path);
    assert.ok((await buffer(file.bytesFrom(0))).equals(bytes));
    assert.equal(await file.facts(), factsOf(bytes));
    await file.close();
  });

  test(`bytes of a ${name} file that are read again after a retry count once in the checksum`, async () => {
    const file = await UploadSource.open(path);
    for await (const _ of file.bytesFrom(0)) if (file.bytesTransferred > sizeBytes / 2) break;
    assert.ok(file.bytesTransferred < bytes.byteLength);
    const rest = await buffer(file.bytesFrom(300_000));
    assert.ok(rest.equals(bytes.subarray(300_000)));
    assert.equal(await file.facts(), factsOf(bytes));
    await file.close();
  });

  test(`a ${name} file is closed at the end, also in the middle of it`, async () => {
    const file = await UploadSource.open(path);
    for await (const _ of file.bytesFrom(0)) if (file.bytesTransferred > sizeBytes / 2) break;
    assert.ok(isHeld(path));
    await file.close();
    await waitUntil('no process holds the file open', () => !isHeld(path));
  });
}

test('progress is reported after each chunk is consumed, and never exceeds the size', async () => {
  const { bytes, path } = fileOf(sizes.small);
  const file = await UploadSource.open(path);
  const reported: number[] = [];
  await buffer(file.bytesFrom(0, (passed) => reported.push(passed)));
  assert.is(reported.at(-1), bytes.byteLength);
  assert.ok(reported.length > 2);
  await file.close();
});

/** The bytes that `readFrom` passes on from an offset. */
async function piecesFrom(
  file: UploadSource,
  fromByte: number,
  options: { readonly stopAfter?: number } = {},
) {
  const pieces: Buffer[] = [];
  const reported: number[] = [];
  const stopping = new AbortController();
  const error = await file
    .readFrom(
      fromByte,
      async (piece) => {
        await new Promise((resolve) => setImmediate(resolve));
        pieces.push(Buffer.from(piece));
        if (pieces.length === options.stopAfter) stopping.abort(new Error('stopped'));
      },
      { signal: stopping.signal, onBytesTransferred: (bytes) => reported.push(bytes) },
    )
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
  return { bytes: Buffer.concat(pieces), reported, error };
}

for (const [name, sizeBytes] of Object.entries(sizes)) {
  test(`pieces of a ${name} file are its bytes, each hashed once`, async () => {
    const { bytes, path } = fileOf(sizeBytes);
    const file = await UploadSource.open(path);
    const broken = await piecesFrom(file, 0, { stopAfter: 3 });
    assert.is(String(broken.error), 'Error: stopped');
    assert.ok(broken.bytes.equals(bytes.subarray(0, broken.bytes.byteLength)));
    assert.is(broken.reported.at(-1), broken.bytes.byteLength);
    const rest = await piecesFrom(file, 300_000);
    assert.ok(rest.bytes.equals(bytes.subarray(300_000)));
    assert.is(rest.reported.at(-1), sizeBytes);
    assert.equal(await file.facts(), factsOf(bytes));
    await file.close();
  });
}

test('a known MD5 is not computed again, unless it is that of another size', async () => {
  const { bytes, path } = fileOf(sizes.small);
  for (const [sizeBytes, md5] of [
    [sizes.small, 'known'],
    [sizes.small + 1, factsOf(bytes).md5],
  ] as const) {
    const file = await UploadSource.open(path, { sizeBytes, md5: 'known' });
    await piecesFrom(file, 0);
    assert.equal(await file.facts(), { sizeBytes: sizes.small, md5 });
    await file.close();
  }
});

test('an empty file has no piece', async () => {
  const { bytes, path } = fileOf(0);
  const file = await UploadSource.open(path);
  assert.equal((await piecesFrom(file, 0)).reported, []);
  assert.equal(await file.facts(), factsOf(bytes));
  await file.close();
});

test('the checksum never skips bytes', async () => {
  const file = await UploadSource.open(fileOf(sizes.small).path);
  assert.throws(() => file.bytesFrom(1), /beyond the bytes that were read/);
  await file.close();
});

test.run();
