import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstBytes, skipBytes, totalByteLength } from '../../daemon/transfer/chunks.js';

const chunks = ['abc', '', 'de', 'f'].map((text) => Buffer.from(text));
const textOf = (some: readonly Uint8Array[]) => Buffer.concat(some).toString();

test('bytes of pieces are counted together', () => {
  assert.is(totalByteLength(chunks), 6);
  assert.is(totalByteLength([]), 0);
});

test('wherever pieces are cut, what is before and what is behind make up the whole', () => {
  for (let at = 0; at <= 7; at += 1) {
    assert.is(textOf(firstBytes(chunks, at)), 'abcdef'.slice(0, at));
    assert.is(textOf(skipBytes(chunks, at)), 'abcdef'.slice(at));
  }
});

test('no piece is empty', () => {
  assert.is(firstBytes(chunks, 3).length, 1);
  assert.is(skipBytes(chunks, 5).length, 1);
  assert.equal(skipBytes(chunks, 6), []);
});

test.run();
