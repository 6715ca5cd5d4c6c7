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

test('the checksum never skips bytes', async () => {
  const file = await UploadSource.open(fileOf(sizes.small).path);
  assert.throws(() => file.bytesFrom(1), /beyond the bytes that were read/);
  await file.close();
});

test.run();
