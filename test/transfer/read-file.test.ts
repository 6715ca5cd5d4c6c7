import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureAndFlush, readChunks } from '../../daemon/transfer/read-file.js';
import type { Transfer } from '../../daemon/transfer/transfer.js';
import { tempFolder } from '../helpers/temp.js';

const signal = new AbortController().signal;
const bytes = Buffer.from(Uint8Array.from({ length: 3_500_000 }, (_, at) => (at * 31 + at / 977) % 256));
const md5 = createHash('md5').update(bytes).digest('hex');

async function withFile<T>(work: (handle: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const path = join(tempFolder(), 'file');
  await writeFile(path, bytes);
  const handle = await open(path, 'r');
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

test('a chunk keeps its bytes until it is processed, while the next one is read', () =>
  withFile(async (handle) => {
    const seen: Buffer[] = [];
    await readChunks(
      handle,
      async (chunk) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen.push(Buffer.from(chunk));
      },
      signal,
    );
    assert.ok(seen.length > 2);
    assert.ok(Buffer.concat(seen).equals(bytes));
  }));

test('an aborted read ends with the reason of its signal', () =>
  withFile(async (handle) => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const error = await readChunks(handle, () => stopping.abort(reason), stopping.signal).catch(
      (thrown: unknown) => thrown,
    );
    assert.is(error, reason);
  }));

const known = { sizeBytes: bytes.byteLength, md5: 'known' };
const cases: readonly (readonly [string, Partial<Transfer>, string])[] = [
  ['unknown facts are measured', {}, md5],
  ['known facts are used', { facts: known }, 'known'],
  ['facts of another size are not used', { facts: { ...known, sizeBytes: 1 } }, md5],
];

for (const [name, edit, expected] of cases) {
  test(name, () =>
    withFile(async (handle) => {
      let doneBytes = 0;
      const onProgress = (done: number) => {
        doneBytes = done;
      };
      const facts = await measureAndFlush(handle, { signal, onProgress, ...edit });
      assert.equal(facts, { sizeBytes: bytes.byteLength, md5: expected });
      assert.is(doneBytes, bytes.byteLength);
    }),
  );
}

test.run();
