import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPace } from '../../../daemon/transports/http/pace.js';
import { Stretches } from '../../../daemon/transports/http/stretches.js';

const division = { chunkBytes: 100, leastBytes: 10 };
const placeOf = (stretch: { readonly at: number; readonly end: number } | null) =>
  stretch === null ? null : [stretch.at, stretch.end];

test('a file that is not divided is one stretch, and goes on where it was left', () => {
  const all = new Stretches(1000, division);
  const first = all.take();
  assert.equal(placeOf(first), [0, 1000]);
  if (first === null) return;
  assert.is(all.advance(first, 300), 300);
  all.release(first);
  assert.not(all.isWhole);
  assert.is(all.restBytes, 700);
  assert.equal(placeOf(all.take()), [300, 1000]);
});

test('a divided file is given out from its beginning on, and is whole when all has come', () => {
  const all = new Stretches(250, division);
  const first = all.take();
  all.divide();
  const others = [all.take(), all.take()];
  assert.equal([first, ...others].map(placeOf), [
    [0, 100],
    [100, 200],
    [200, 250],
  ]);
  for (const each of [first, ...others]) {
    if (each === null) continue;
    assert.not(all.isWhole);
    all.advance(each, 100);
    all.release(each);
  }
  assert.ok(all.isWhole);
});

test('no more is wanted than belongs to a stretch', () => {
  const all = new Stretches(250, division);
  const first = all.take();
  all.divide();
  if (first === null) return assert.unreachable();
  assert.is(all.advance(first, 150), 100);
  assert.is(all.advance(first, 1), 0);
});

test('when nothing is left to give out, the rest of another is shared', () => {
  const all = new Stretches(100, division);
  const first = all.take();
  all.divide();
  if (first === null) return assert.unreachable();
  all.advance(first, 20);
  assert.equal(placeOf(all.take()), [60, 100]);
  assert.equal(placeOf(first), [20, 60]);
});

test('what the server has only just been asked for is left alone', () => {
  const all = new Stretches(100, division);
  const first = all.take();
  all.divide();
  assert.is(all.take(1_000_000), null);
  assert.equal(placeOf(first), [0, 100]);
  assert.not(first?.taken.aborted);
});

test('what is too small to be shared stays where it is', () => {
  const all = new Stretches(15, division);
  const first = all.take();
  all.divide();
  assert.is(all.take(), null);
  assert.equal(placeOf(first), [0, 15]);
});

test('a last piece that is too small for a connection of its own goes along', () => {
  const all = new Stretches(205, division);
  const first = all.take();
  all.divide();
  assert.equal([first, all.take()].map(placeOf), [
    [0, 100],
    [100, 205],
  ]);
});

test('what was divided can be united, as long as nobody else has brought any of it', () => {
  const all = new Stretches(1000, division);
  const first = all.take();
  all.divide();
  const second = all.take();
  assert.not(all.unite());
  if (second === null) return assert.unreachable();
  all.release(second);
  assert.ok(all.unite());
  assert.equal(placeOf(first), [0, 1000]);
});

test('a file of unknown length ends where its body does, and an empty one is whole at once', () => {
  const all = new Stretches(null, division);
  const first = all.take();
  if (first === null) return assert.unreachable();
  assert.is(all.advance(first, 7), 7);
  assert.not(all.isWhole);
  all.endAt(first);
  all.release(first);
  assert.ok(all.isWhole);
  assert.ok(new Stretches(0, division).isWhole);
});

test('nothing is said of a connection before its first byte, unless that takes longer than a second', () => {
  let now = 0;
  const pace = createPace(() => now);
  now = 900;
  assert.is(pace.bytesPerSecond(), null);
  now = 1_000;
  assert.is(pace.bytesPerSecond(), 0);
  pace.came(500);
  now = 1_100;
  assert.is(Math.round(pace.bytesPerSecond() ?? 0), 455);
});

test.run();
