import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DiskReservation, ScratchSpace } from '../../daemon/pipeline/disk-reservations.js';
import { settleEventLoop } from '../helpers/wait-until.js';

interface Context {
  disk: { freeBytes: number };
  space: ScratchSpace;
  /** Sequence numbers of the admitted downloads, in order. */
  begun: number[];
  holds: Map<number, DiskReservation>;
  ask: (sequence: number, sizeBytes: number | null, options?: AskOptions) => void;
  sizeQueries: number[];
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly keepsSources?: boolean;
}

const test = suite<Context>('DiskReservations');
const settle = () => settleEventLoop(async () => {});

test.before.each((context) => {
  const disk = { freeBytes: 1000 };
  const space = new ScratchSpace({ freeBytes: async () => disk.freeBytes, minFreeBytes: 100 });
  const [begun, sizeQueries]: [number[], number[]] = [[], []];
  const holds = new Map<number, DiskReservation>();
  Object.assign(context, { disk, space, begun, sizeQueries, holds });
  context.ask = (
    sequence,
    sizeBytes,
    { signal = new AbortController().signal, keepsSources = false } = {},
  ) => {
    const sizeOf = async () => {
      sizeQueries.push(sequence);
      return sizeBytes;
    };
    space.reserve({ sequenceNumber: sequence, sizeOf, keepsSources }, signal).then(
      (hold) => {
        begun.push(sequence);
        holds.set(sequence, hold);
      },
      () => {},
    );
  };
});

test.after.each(({ holds }) => {
  // A waiting download would keep the process alive.
  for (const hold of holds.values()) hold.release();
});

test('a job that runs as the only one starts without a size query', async ({ ask, begun, sizeQueries }) => {
  ask(1, 5000);
  await settle();
  assert.equal([begun, sizeQueries], [[1], []]);
});

test('a download starts while others run if it fits next to their reservations and expected outputs', async ({
  ask,
  begun,
  holds,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 200);
  // Free: 1000. The first needs 400 and 100 are kept free, so 500 are left for a file of 250 with its outputs.
  ask(2, 250);
  await settle();
  assert.equal(begun, [1, 2]);
  ask(3, 1);
  await settle();
  assert.equal(begun, [1, 2]);
});

test('outputs that are kept as sources of others need space as well', async ({ ask, begun, holds }) => {
  ask(1, null, { keepsSources: true });
  await settle();
  holds.get(1)?.setReceived(0, 200);
  // The first needs 600 and 100 are kept free, so 300 are left.
  ask(2, 100, { keepsSources: true });
  await settle();
  assert.equal(begun, [1, 2]);
  ask(3, 1);
  await settle();
  assert.equal(begun, [1, 2]);
});

test('a download that does not fit waits until others have ended, and keeps its position', async ({
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
  assert.equal(begun, [1, 3], 'one of 600 does not fit next to one of 10');
  holds.get(3)?.release();
  await settle();
  assert.equal(begun, [1, 3, 2], 'as the only job it starts');
  holds.get(2)?.release();
  await settle();
  assert.equal(begun, [1, 3, 2, 4]);
});

test('the reservation ends once all outputs are made, because the disk then counts them', async ({
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

test('a file that is written besides needs space until it is written', async ({
  ask,
  begun,
  holds,
  space,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  let finish = () => {};
  const written = space.withFile(
    600,
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  // Free: 1000. The first needs 200, the file 600, and 100 are kept free.
  ask(2, 100);
  await settle();
  assert.equal(begun, [1]);
  finish();
  await written;
  await settle();
  assert.equal(begun, [1, 2]);
});

test('a download waits for the size of one that has just started', async ({ ask, begun, holds }) => {
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

test('a server that does not report a size blocks others only briefly', async () => {
  const space = new ScratchSpace({ freeBytes: async () => 1000, minFreeBytes: 0, sizeTimeoutMs: 1 });
  const { signal } = new AbortController();
  await space.reserve({ sequenceNumber: 1, sizeOf: async () => null }, signal);
  await space.reserve({ sequenceNumber: 2, sizeOf: async () => 10 }, signal);
});

test('a file of unknown size starts if there is any space', async ({ ask, begun, holds, disk }) => {
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

test('a wait ends at once if the run is stopped, and the next in line follows', async ({
  ask,
  begun,
  holds,
}) => {
  const stopping = new AbortController();
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  ask(2, 5000, { signal: stopping.signal });
  await settle();
  ask(3, 100);
  await settle();
  assert.equal(begun, [1]);
  stopping.abort('cancelled');
  await settle();
  assert.equal(begun, [1, 3]);
});

test('a failed size query counts as no size: the download reports the error', async ({
  space,
  begun,
  ask,
  holds,
}) => {
  ask(1, null);
  await settle();
  holds.get(1)?.setReceived(0, 100);
  const failing = () => Promise.reject(new Error('no such file'));
  await space.reserve({ sequenceNumber: 2, sizeOf: failing }, new AbortController().signal);
  assert.equal(begun, [1]);
});

test.run();
