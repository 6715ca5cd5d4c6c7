import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SocketBuffers } from '../../daemon/net/socket-buffers.js';

const bytes = 100_000;

test('a buffer is reused once its last chunk is released', () => {
  const buffers = new SocketBuffers();
  const buffer = buffers.next();
  const chunk = buffers.read(buffer, bytes);
  buffers.release([chunk.subarray(0, 100)]);
  assert.is.not(buffers.next().buffer, buffer.buffer);
  buffers.release([chunk.subarray(100)]);
  assert.is(buffers.next().buffer, buffer.buffer);
});

test('no buffer is handed out twice', () => {
  const buffers = new SocketBuffers();
  const chunk = buffers.read(buffers.next(), bytes);
  buffers.release([chunk, chunk]);
  assert.is.not(buffers.next().buffer, buffers.next().buffer);
});

test('small chunks do not retain large buffers', () => {
  const buffers = new SocketBuffers();
  const buffer = buffers.next();
  buffer.fill(7);
  const chunk = buffers.read(buffer, 10);
  assert.is.not(chunk.buffer, buffer.buffer);
  assert.is(buffers.next().buffer, buffer.buffer);
  buffer.fill(8);
  assert.equal([...chunk], Array(10).fill(7));
});

test('chunks from elsewhere are ignored', () => {
  const buffers = new SocketBuffers();
  const chunk = new Uint8Array(bytes);
  buffers.release([chunk]);
  assert.is.not(buffers.next().buffer, chunk.buffer);
});

test.run();
