import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SocketBuffers } from '../../daemon/net/socket-buffers.js';

const bytes = 100_000;

test('a buffer is used again when its last piece is given back, and no sooner', () => {
  const buffers = new SocketBuffers();
  const buffer = buffers.next();
  const piece = buffers.read(buffer, bytes);
  buffers.release([piece.subarray(0, 100)]);
  assert.is.not(buffers.next().buffer, buffer.buffer);
  buffers.release([piece.subarray(100)]);
  assert.is(buffers.next().buffer, buffer.buffer);
});

test('no buffer is given out twice', () => {
  const buffers = new SocketBuffers();
  const piece = buffers.read(buffers.next(), bytes);
  buffers.release([piece, piece]);
  assert.is.not(buffers.next().buffer, buffers.next().buffer);
});

test('small pieces hold no large buffers', () => {
  const buffers = new SocketBuffers();
  const buffer = buffers.next();
  buffer.fill(7);
  const piece = buffers.read(buffer, 10);
  assert.is.not(piece.buffer, buffer.buffer);
  assert.is(buffers.next().buffer, buffer.buffer);
  buffer.fill(8);
  assert.equal([...piece], Array(10).fill(7));
});

test('pieces from elsewhere are left alone', () => {
  const buffers = new SocketBuffers();
  const piece = new Uint8Array(bytes);
  buffers.release([piece]);
  assert.is.not(buffers.next().buffer, piece.buffer);
});

test.run();
