import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DiskReservation, ScratchSpace } from '../../daemon/pipeline/disk-reservations.js';
import { settleEventLoop } from '../helpers/wait-until.js';

interface Context {
  disk: { freeBytes: number };
  space: ScratchSpace;
  /** Turns of those that were let in, in their order. */
  begun: number[];
  holds: Map<number, DiskReservation>;
  ask: (turn: number, sizeBytes: number | null, signal?: AbortSignal) => void;
  asked: number[];
}

const test = suite<Context>('room in the scratch folder');
const settle = () => settleEventLoop(async () => {});

test.before.each((context) => {
  const disk = { freeBytes: 1000 };
  const space = new ScratchSpace({ freeBytes: async () => disk.freeBytes, minFreeBytes: 100 });
  const [begun, asked]: [number[], number[]] = [[], []];
  const holds = new Map<number, DiskReservation>();
  Object.assign(context, { disk, space, begun, asked, holds });
  context.ask = (turn, sizeBytes, signal = new AbortController().signal) => {
    const sizeOf = async () => {
      asked.push(turn);
      return sizeBytes;
    };
    space.reserve(turn, sizeOf, signal).then(
      (hold) => {
        begun.push(turn);
        holds.set(turn, hold);
      },
      () => {},
    );
  };
});

test.after.each(({ holds }) => {
  // Who waits for the first word of another one would hold the process open.
  for (const hold of holds.values()) hold.release();
});

test('a job that is alone just tries, and is not even asked for its size', async ({ ask, begun, asked }) => {
  ask(1, 5000);
  await settle();
  assert.equal([begun, asked], [[1], []]);
});

test('a download begins beside others where it fits with what they still need and what is made of it', async ({
  ask,
  begun,
  holds,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 200);
  // Free are 1000: 400 for the first, 100 are left alone, so 500 for a file of 250 with its outputs.
  ask(2, 250);
  await settle();
  assert.equal(begun, [1, 2]);
  ask(3, 1);
  await settle();
  assert.equal(begun, [1, 2]);
});

test('what does not fit waits until others have ended, and nobody overtakes it', async ({
  ask,
  begun,
  holds,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  ask(3, 10);
  await settle();
  ask(2, 600);
  await settle();
  ask(4, 10);
  await settle();
  assert.equal(begun, [1, 3]);
  holds.get(1)?.release();
  await settle();
  assert.equal(begun, [1, 3], 'one of 600 does not fit beside one of 10');
  holds.get(3)?.release();
  await settle();
  assert.equal(begun, [1, 3, 2], 'alone it tries');
  holds.get(2)?.release();
  await settle();
  assert.equal(begun, [1, 3, 2, 4]);
});

test('the room is free again once all outputs are made, and their disk space is counted by the disk', async ({
  ask,
  begun,
  holds,
  disk,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(300, 300);
  disk.freeBytes = 700;
  ask(2, 300);
  await settle();
  assert.equal(begun, [1], '300 are still to be made');
  holds.get(1)?.markEncoded();
  await settle();
  assert.equal(begun, [1, 2]);
});

test('a download that has just begun is waited for until it tells its size', async ({
  ask,
  begun,
  holds,
}) => {
  ask(1, null);
  await settle();
  ask(2, 300);
  await settle();
  assert.equal(begun, [1]);
  holds.get(1)?.setReceived(0, 400);
  await settle();
  assert.equal(begun, [1], '900 less 800 are not enough for 300');
  holds.get(1)?.release();
  await settle();
  assert.equal(begun, [1, 2]);
});

test('a server that does not say a word holds nobody up for long', async () => {
  const space = new ScratchSpace({ freeBytes: async () => 1000, minFreeBytes: 0, sizeTimeoutMs: 1 });
  const { signal } = new AbortController();
  await space.reserve(1, async () => null, signal);
  await space.reserve(2, async () => 10, signal);
});

test('a file whose size nobody tells begins where there is any room', async ({ ask, begun, holds, disk }) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  disk.freeBytes = 299;
  ask(2, null);
  await settle();
  assert.equal(begun, [1]);
  disk.freeBytes = 300;
  ask(3, null);
  await settle();
  assert.equal(begun, [1, 2]);
});

test('a wait ends at once where the run is stopped, and those behind it move up', async ({
  ask,
  begun,
  holds,
}) => {
  const stopping = new AbortController();
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  ask(2, 5000, stopping.signal);
  await settle();
  ask(3, 100);
  await settle();
  assert.equal(begun, [1]);
  stopping.abort('cancelled');
  await settle();
  assert.equal(begun, [1, 3]);
});

test('a size that cannot be asked counts as nothing: the download tells what is wrong', async ({
  space,
  begun,
  ask,
  holds,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  const refused = () => Promise.reject(new Error('no such file'));
  await space.reserve(2, refused, new AbortController().signal);
  assert.equal(begun, [1]);
});

test.run();
