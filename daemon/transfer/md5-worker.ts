import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** What the thread is told of a file, which has a number. */
export type SummingOrder =
  /** Its bytes before `toByte` are written. */
  | {
      readonly number: number;
      readonly type: 'reach';
      readonly path: string;
      readonly toByte: number;
    }
  /** To be answered when all of those are summed. */
  | { readonly number: number; readonly type: 'digest' }
  | { readonly number: number; readonly type: 'end' };

/** Null where the file could not be read. */
export interface SummingAnswer {
  readonly number: number;
  readonly md5: string | null;
}

interface Summed {
  readonly file: number;
  readonly hash: Hash;
  atByte: number;
  toByte: number;
  isAsked: boolean;
}

/** Small enough to stay in the processor's cache between reading and summing. */
const buffer = Buffer.allocUnsafeSlow(1 << 18);
/** Null for those that cannot be read. */
const files = new Map<number, Summed | null>();
let isAtWork = false;

/** A little of each file in turn; orders are heard in between. */
function work(): void {
  isAtWork = false;
  for (const [number, summed] of files) {
    if (summed !== null && summed.atByte < summed.toByte) {
      isAtWork = true;
      if (!sumOn(summed)) spoil(number, summed);
    } else if (summed?.isAsked === true) {
      summed.isAsked = false;
      answer({ number, md5: summed.hash.copy().digest('hex') });
    }
  }
  if (isAtWork) setImmediate(work);
}

function sumOn(summed: Summed): boolean {
  try {
    const wanted = Math.min(buffer.byteLength, summed.toByte - summed.atByte);
    const bytes = readSync(summed.file, buffer, 0, wanted, summed.atByte);
    summed.hash.update(buffer.subarray(0, bytes));
    summed.atByte += bytes;
    return bytes > 0;
  } catch {
    return false;
  }
}

function spoil(number: number, summed: Summed): void {
  closeSync(summed.file);
  files.set(number, null);
  if (summed.isAsked) answer({ number, md5: null });
}

function begin(path: string): Summed | null {
  try {
    return { file: openSync(path, 'r'), hash: createHash('md5'), atByte: 0, toByte: 0, isAsked: false };
  } catch {
    return null;
  }
}

function answer(said: SummingAnswer): void {
  parentPort?.postMessage(said);
}

parentPort?.on('message', (order: SummingOrder) => {
  const { number, type } = order;
  if (type === 'reach' && !files.has(number)) files.set(number, begin(order.path));
  const summed = files.get(number) ?? null;
  if (type === 'end') {
    files.delete(number);
    if (summed !== null) closeSync(summed.file);
  } else if (summed === null) {
    if (type === 'digest') answer({ number, md5: null });
  } else {
    if (type === 'reach') summed.toByte = order.toByte;
    else summed.isAsked = true;
    if (!isAtWork) work();
  }
});
