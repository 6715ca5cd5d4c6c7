import { isVencError } from '../../../src/shared/errors.js';
import { bytesOf, firstOf } from '../../transfer/chunks.js';
import { drainInBatches } from '../../transfer/drain-in-batches.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import { connectionTrouble, passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import type { Watched } from '../../transfer/with-retry.js';
import type { AskReading } from './ask.js';
import type { Stretch } from './stretches.js';

/** An answer with a body. */
export type Body = Extract<AskReading, { type: 'body' }>;

/** What is done with the bytes of one stretch. */
export interface BringParts {
  readonly stretch: Stretch;
  /** Settles when the file is ready to be written. */
  readonly ready: Promise<void>;
  /** How many of the bytes that have come are wanted: the stretch goes on by so many. */
  readonly advance: (bytes: number) => number;
  readonly write: (pieces: readonly Uint8Array[], at: number) => Promise<void>;
  readonly watched: Watched;
}

/** Fewer bytes than these within a stall timeout are as good as none: a server that drips would otherwise never be given up. */
const leastBytes = 1024;

/**
 * Writes a body to where it belongs, up to the end of its stretch, which others may draw nearer meanwhile. Null where that end was
 * reached, or the stretch was given to another connection; `unsound` where more came than was promised; else the trouble. Rejects where the
 * disk fails, and when it is stopped. Nothing is written any more when it has settled.
 */
export async function bring(answer: Body, parts: BringParts): Promise<Trouble | 'unsound' | null> {
  const { stretch, ready, advance, write, watched } = parts;
  const promisedBytes = answer.toByte === null ? null : answer.toByte - answer.fromByte;
  let cameBytes = 0;
  let toldBytes = 0;
  const draining = drainInBatches(answer.body, async (pieces) => {
    await ready;
    const { at } = stretch;
    const bytes = bytesOf(pieces);
    cameBytes += bytes;
    const wanted = advance(bytes);
    await write(wanted === bytes ? pieces : firstOf(pieces, wanted), at).catch(rethrowAsOurDisk);
    const isAtEnd = stretch.at >= stretch.end;
    if (cameBytes - toldBytes >= leastBytes || isAtEnd) {
      toldBytes = cameBytes;
      watched.alive();
    }
    // A body that ends here by itself leaves its connection to be used again.
    return wanted === bytes && !(isAtEnd && answer.toByte !== stretch.end);
  });
  try {
    await Promise.all([ready, draining]);
  } catch (error) {
    answer.body.destroy();
    await draining.catch(() => undefined);
    if (stretch.taken.aborted) return null;
    watched.signal.throwIfAborted();
    if (isVencError(error)) throw error;
    return stretch.at >= stretch.end ? null : connectionTrouble(error, answer.host, 'download');
  }
  if (promisedBytes !== null && cameBytes > promisedBytes) return 'unsound';
  if (stretch.at >= stretch.end || !Number.isFinite(stretch.end)) return null;
  const said = `${answer.host} sent ${cameBytes} bytes where ${stretch.end - answer.fromByte} were to come.`;
  return passingTrouble('DownloadFailureError', said);
}

function rethrowAsOurDisk(error: unknown): never {
  throw ownDiskFault(error, 'download');
}
