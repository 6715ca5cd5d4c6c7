import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { drainInBatches, firstBytes, skipBytes, totalByteLength } from '../../daemon/transfer/chunks.js';

const chunks = ['abc', '', 'de', 'f'].map((text) => Buffer.from(text));
const textOf = (some: readonly Uint8Array[]) => Buffer.concat(some).toString();

test('bytes of all chunks are counted together', () => {
  assert.is(totalByteLength(chunks), 6);
  assert.is(totalByteLength([]), 0);
});

test('a split at any position keeps all bytes on both sides', () => {
  for (let at = 0; at <= 7; at += 1) {
    assert.is(textOf(firstBytes(chunks, at)), 'abcdef'.slice(0, at));
    assert.is(textOf(skipBytes(chunks, at)), 'abcdef'.slice(at));
  }
});

test('no chunk is empty', () => {
  assert.is(firstBytes(chunks, 3).length, 1);
  assert.is(skipBytes(chunks, 5).length, 1);
  assert.equal(skipBytes(chunks, 6), []);
});

test('an empty body that ended before it is read is complete', async () => {
  const body = Readable.from([]);
  body.resume();
  await once(body, 'end');
  await drainInBatches(body, async () => true);
});

test('a body that broke off before it is read is not complete', async () => {
  const body = new PassThrough();
  body.destroy();
  await drainInBatches(body, async () => true).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'closed early'),
  );
});

test.run();
