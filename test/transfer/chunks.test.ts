import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesOf, firstOf, restOf } from '../../daemon/transfer/chunks.js';

const pieces = ['abc', '', 'de', 'f'].map((text) => Buffer.from(text));
const textOf = (some: readonly Uint8Array[]) => Buffer.concat(some).toString();

test('bytes of pieces are counted together', () => {
  assert.is(bytesOf(pieces), 6);
  assert.is(bytesOf([]), 0);
});

test('wherever pieces are cut, what is before and what is behind make up the whole', () => {
  for (let at = 0; at <= 7; at += 1) {
    assert.is(textOf(firstOf(pieces, at)), 'abcdef'.slice(0, at));
    assert.is(textOf(restOf(pieces, at)), 'abcdef'.slice(at));
  }
});

test('no piece is empty', () => {
  assert.is(firstOf(pieces, 3).length, 1);
  assert.is(restOf(pieces, 5).length, 1);
  assert.equal(restOf(pieces, 6), []);
});

test.run();
