import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { InPlaceChallenge } from '../../src/shared/records.js';
import { isObject } from '../../src/shared/util/is-object.js';
import {
  type ByteRange,
  type ClaimedFile,
  proofOfReading,
  readRanges,
} from '../../src/shared/util/read-proof.js';
import type { InPlaceFile } from '../jobs/job.js';
import { isSameState, openInPlace } from '../transports/file/in-place.js';
import { unknownFieldErrors } from './unknown-fields.js';

/** A file of an account that a job may read where it is. */
interface ProvenFile {
  /** Its `file:` URL. */
  readonly url: string;
  readonly file: InPlaceFile;
}

interface Offer extends ClaimedFile, InPlaceChallenge {
  readonly accountId: string;
  /** In milliseconds, on the clock of the options. */
  readonly expiresAtMs: number;
  /** Null before the proof. */
  readonly proven: InPlaceFile | null;
}

/** The dependencies of `InPlaceFiles`. */
interface InPlaceFilesOptions {
  /** The id of the data folder of this daemon. */
  readonly daemonId: string;
  readonly randomToken: () => string;
  /** Milliseconds of a clock that is never set back; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

/** How long an offer may be proved and used, in seconds. */
const offerSeconds = 600;
/** Maximum number of offers of one account; the oldest is dropped for a new one. */
const maxOffers = 1000;
/** Wrong proofs of an account within the time of an offer, after which it gets no further offers for that time. */
const maxWrongProofs = 20;
/** A smaller file is read completely; of a larger one, this many ranges. */
const rangeCount = 64;
const rangeBytes = 16_384;
/** A proof about fewer bytes, or about bytes with as little content when compressed, could be guessed. */
const minProofBytes = 4096;
const minContentBytes = 2048;
const maxPathCharacters = 4096;
const deflate = promisify(deflateRaw);

/**
 * The files that clients on this machine offer to be read where they are. A client names a file, gets random ranges of
 * it, and proves with a keyed hash of their bytes that it can read them. Whether there is such a file is not answered
 * before: an offer of a file that the client cannot read gives nothing away, and every proof that fails has the same
 * answer. An offer has one attempt. Offers are in memory: a client that finds its own gone makes another.
 */
export class InPlaceFiles {
  readonly #options: InPlaceFilesOptions;
  readonly #elapsedMs: () => number;
  readonly #offers = new Map<string, Offer>();
  /** When the recent wrong proofs of each account were sent. */
  readonly #wrongProofs = new Map<string, readonly number[]>();

  constructor(options: InPlaceFilesOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /**
   * Answers an offer (`path` and `size` in the body) with what to read. Does not look at the disk. Rejects with
   * `InvalidRequestError` for anything else, and with `TooManyRequestsError` after many wrong proofs.
   */
  offer(accountId: string, body: unknown): InPlaceChallenge {
    const file = readOffer(body);
    this.#removeExpired();
    if (this.#wrongProofsOf(accountId).length >= maxWrongProofs)
      throw new VencError('TooManyRequestsError', 'Too many proofs of this account were wrong.', {
        retryAfterSeconds: offerSeconds,
      });
    const own = [...this.#offers.values()].filter((offer) => offer.accountId === accountId);
    if (own.length >= maxOffers && own[0] !== undefined) this.#offers.delete(own[0].token);
    const challenge = {
      token: this.#options.randomToken(),
      key: randomBytes(32).toString('hex'),
      ranges: randomRanges(file.sizeBytes),
    };
    const expiresAtMs = this.#elapsedMs() + offerSeconds * 1000;
    this.#offers.set(challenge.token, { ...file, ...challenge, accountId, expiresAtMs, proven: null });
    return challenge;
  }

  /**
   * Checks the proof of an offer (`proof` in the body), and resolves to the URL for a create. Rejects with
   * `NotFoundError` if the account has no such offer, and with `ForbiddenError` if the daemon cannot read the file or
   * the proof is wrong: the answer does not say which.
   */
  async prove(accountId: string, token: string, body: unknown): Promise<string> {
    const proof = readProof(body);
    this.#removeExpired();
    const offer = this.#offers.get(token);
    if (offer?.accountId !== accountId || offer.proven !== null)
      throw new VencError('NotFoundError', 'There is no offer of this account with this token.');
    // Before anything is awaited: a second attempt finds no offer.
    this.#offers.delete(token);
    const file = await verify(offer, proof).catch(() => null);
    if (file === null) {
      this.#wrongProofs.set(accountId, [...this.#wrongProofsOf(accountId), this.#elapsedMs()]);
      throw new VencError(
        'ForbiddenError',
        'The daemon does not read this file in place: it cannot read it at this path, or the proof is wrong.',
      );
    }
    this.#offers.set(token, { ...offer, proven: { ...file, daemonId: this.#options.daemonId } });
    return `in-place://${token}/${encodeURIComponent(basename(offer.path))}`;
  }

  /** The file that an `in-place:` URL names; null if the account has proved nothing of the kind. */
  find(accountId: string, url: string): ProvenFile | null {
    this.#removeExpired();
    const offer = this.#offers.get(/^in-place:\/\/([^/]+)\//i.exec(url)?.[1] ?? '');
    if (offer?.accountId !== accountId || offer.proven === null) return null;
    return { url: pathToFileURL(offer.path).href, file: offer.proven };
  }

  #removeExpired(): void {
    const now = this.#elapsedMs();
    for (const [token, { expiresAtMs }] of this.#offers) if (expiresAtMs <= now) this.#offers.delete(token);
  }

  #wrongProofsOf(accountId: string): readonly number[] {
    const since = this.#elapsedMs() - offerSeconds * 1000;
    return (this.#wrongProofs.get(accountId) ?? []).filter((at) => at > since);
  }
}

/** The state of a file whose bytes match a proof; null if they do not. Rejects if it cannot be read. */
async function verify(offer: Offer, proof: Buffer): Promise<Omit<InPlaceFile, 'daemonId'> | null> {
  const { handle, state } = await openInPlace(offer.path);
  try {
    if (state.sizeBytes !== offer.sizeBytes) return null;
    const bytes = await readRanges(handle, offer.ranges);
    const expected = Buffer.from(proofOfReading(offer.key, offer, bytes), 'hex');
    if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) return null;
    // Bytes that are all alike, as in the holes of a file, can be guessed.
    if ((await deflate(bytes)).length < minContentBytes) return null;
    // The proof must be about the content that the state identifies.
    const after = await openInPlace(offer.path);
    await after.handle.close();
    return isSameState(after.state, state) ? state : null;
  } finally {
    await handle.close();
  }
}

/** Ranges of a file that nobody can foresee: all of a small one, otherwise one at a random place of each part. */
function randomRanges(sizeBytes: number): readonly ByteRange[] {
  if (sizeBytes <= rangeCount * rangeBytes) return [{ offset: 0, length: sizeBytes }];
  const part = Math.floor(sizeBytes / rangeCount);
  return Array.from({ length: rangeCount }, (_, index) => ({
    offset: index * part + randomInt(part - rangeBytes + 1),
    length: rangeBytes,
  }));
}

function readOffer(body: unknown): ClaimedFile {
  const { path, size } = isObject(body) ? body : {};
  const sizeBytes = typeof size === 'string' && /^\d{1,15}$/.test(size) ? Number(size) : size;
  const problems = unknownFieldErrors(body, ['path', 'size'], 'of an offer: it has path and size');
  const isPath = typeof path === 'string' && /^\/[^\0]*[^\0/]$/.test(path);
  if (!isPath || path.length > maxPathCharacters)
    problems.push(`path must be the absolute path of a file, of at most ${maxPathCharacters} characters`);
  if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < minProofBytes)
    problems.push(`size must be that of the file in bytes, at least ${minProofBytes}: upload a smaller file`);
  if (problems.length > 0 || !isPath || typeof sizeBytes !== 'number') throw invalidRequest(problems);
  return { path, sizeBytes };
}

function readProof(body: unknown): Buffer {
  const { proof } = isObject(body) ? body : {};
  const problems = unknownFieldErrors(body, ['proof'], 'of a proof: it has proof');
  if (typeof proof !== 'string' || !/^[0-9a-f]{64}$/.test(proof))
    problems.push('proof must have 64 hexadecimal digits');
  if (problems.length > 0) throw invalidRequest(problems);
  return Buffer.from(String(proof), 'hex');
}
