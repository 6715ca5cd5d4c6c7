import { setTimeout as sleep } from 'node:timers/promises';

/** The disk space that a job needs in the scratch folder, as far as it is known. */
export interface DiskReservation {
  /** Reports how much of the input has been downloaded; `totalBytes` is null if the server does not report a size. */
  setReceived(doneBytes: number, totalBytes: number | null): void;
  /** Reports that all files of the job are on the disk. */
  markEncoded(): void;
  /** Releases the space: the files of the job are gone. */
  release(): void;
}

/** Options of the scratch space. */
interface ScratchSpaceOptions {
  /** Returns the free bytes on the disk. */
  readonly freeBytes: () => Promise<number>;
  /** Bytes that must stay free. */
  readonly minFreeBytes: number;
  /** How long to wait for the size of a download that started just before another one, in milliseconds. */
  readonly sizeTimeoutMs?: number;
}

const defaultSizeTimeoutMs = 5000;

/** What a job needs space for. */
interface SpaceRequest {
  /** The position of the job among those that wait. */
  readonly sequenceNumber: number;
  /** The size of the input; null if the server does not report it. */
  readonly sizeOf: () => Promise<number | null>;
  /** Whether files of outputs are kept because other outputs are made from them. */
  readonly keepsSources?: boolean;
}

interface Waiter {
  readonly sequenceNumber: number;
  readonly sizeBytes: number | null;
  readonly producedFiles: number;
  readonly grant: (reservation: ScratchReservation) => void;
}

/**
 * Reserves disk space for concurrent jobs. A download starts only if the disk has space for its file, the same again
 * for its outputs, once more for outputs that are kept as sources of others, and for what the other jobs still need. A
 * job that is alone starts in any case. Waiting jobs start in the order of their sequence numbers, because a large file
 * would otherwise wait forever behind small ones.
 */
export class ScratchSpace {
  readonly #options: ScratchSpaceOptions;
  readonly #reservations = new Set<ScratchReservation>();
  #waiters: readonly Waiter[] = [];
  #isAdmitting = false;
  #mustAdmitAgain = false;

  constructor(options: ScratchSpaceOptions) {
    this.#options = options;
  }

  /**
   * Waits for space for one more job. Its size is queried only if there are other jobs; an unknown size counts as 0.
   * Rejects with the reason of the signal if that is aborted.
   */
  async reserve(
    { sequenceNumber, sizeOf, keepsSources = false }: SpaceRequest,
    signal: AbortSignal,
  ): Promise<DiskReservation> {
    const producedFiles = keepsSources ? 2 : 1;
    if (this.#reservations.size === 0 && this.#waiters.length === 0) return this.#begin(null, producedFiles);
    const sizeBytes = await sizeOf().catch(() => null);
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal.reason);
        this.#admit();
      };
      const waiter: Waiter = {
        sequenceNumber,
        sizeBytes,
        producedFiles,
        grant(reservation) {
          signal.removeEventListener('abort', onAbort);
          resolve(reservation);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters = [...this.#waiters, waiter].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
      this.#admit();
    });
  }

  /**
   * Whether a file of this size fits in addition to what all jobs still need. True if the free space is unknown: a full
   * disk then shows when writing fails.
   */
  async hasSpaceFor(bytes: number): Promise<boolean> {
    const freeBytes = await this.#options.freeBytes().catch(() => Number.POSITIVE_INFINITY);
    const needed = [...this.#reservations].reduce((sum, reservation) => sum + reservation.remainingBytes, 0);
    return freeBytes - needed - bytes >= this.#options.minFreeBytes;
  }

  /**
   * Does work that writes a file of this size in addition to what jobs reserve. Downloads wait that do not fit next to
   * it.
   */
  async withFile<T>(sizeBytes: number, work: () => Promise<T>): Promise<T> {
    const reservation = this.#begin(sizeBytes, 0);
    try {
      return await work();
    } finally {
      // The disk counts the file now.
      reservation.release();
    }
  }

  #begin(sizeBytes: number | null, producedFiles: number): ScratchReservation {
    const reservation = new ScratchReservation(sizeBytes, producedFiles, () => {
      if (reservation.isReleased) this.#reservations.delete(reservation);
      this.#admit();
    });
    this.#reservations.add(reservation);
    return reservation;
  }

  /** Starts the waiting jobs that fit, one after the other. Checks again if anything changes meanwhile. */
  #admit(): void {
    this.#mustAdmitAgain = true;
    if (this.#isAdmitting || this.#waiters.length === 0) return;
    this.#isAdmitting = true;
    void this.#admitAll();
  }

  async #admitAll(): Promise<void> {
    while (this.#mustAdmitAgain && this.#waiters.length > 0) {
      this.#mustAdmitAgain = false;
      await this.#waitForSizes();
      const [candidate] = this.#waiters;
      const canStart = candidate !== undefined && (await this.#canStart(candidate));
      const [first, ...others] = this.#waiters;
      if (!canStart || first === undefined || first !== candidate) {
        // The first waiting job changed meanwhile, and the new one has not been checked.
        if (first !== candidate) this.#mustAdmitAgain = true;
        continue;
      }
      this.#waiters = others;
      this.#mustAdmitAgain = true;
      first.grant(this.#begin(first.sizeBytes, first.producedFiles));
    }
    this.#isAdmitting = false;
  }

  async #canStart({ sizeBytes, producedFiles }: Waiter): Promise<boolean> {
    if (this.#reservations.size === 0) return true;
    return this.hasSpaceFor((1 + producedFiles) * (sizeBytes ?? 0));
  }

  /** Waits for the sizes of downloads that have just started. Until they are known, the needed space is unknown too. */
  async #waitForSizes(): Promise<void> {
    const unknown = [...this.#reservations].filter(({ isKnown }) => !isKnown);
    if (unknown.length === 0) return;
    const timer = new AbortController();
    const timeout = sleep(this.#options.sizeTimeoutMs ?? defaultSizeTimeoutMs, undefined, {
      signal: timer.signal,
    }).catch(() => {});
    await Promise.race([Promise.all(unknown.map(({ whenKnown }) => whenKnown)), timeout]);
    timer.abort();
    for (const reservation of unknown) reservation.setKnown();
  }
}

class ScratchReservation implements DiskReservation {
  readonly #onChange: () => void;
  readonly #producedFiles: number;
  #totalBytes: number | null;
  #arrivedBytes = 0;
  #isEncoded = false;
  #isKnown = false;
  isReleased = false;
  #markKnown: () => void = () => {};

  /** Resolves when the size is known, or when the reservation ends. */
  readonly whenKnown: Promise<void> = new Promise((resolve) => {
    this.#markKnown = resolve;
  });

  /** `producedFiles`: how often the size of the input is reserved for what is made from it. */
  constructor(totalBytes: number | null, producedFiles: number, onChange: () => void) {
    this.#producedFiles = producedFiles;
    this.#totalBytes = totalBytes;
    this.#onChange = onChange;
    if (totalBytes !== null) this.setKnown();
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /**
   * The bytes it will still write: the rest of the input, its outputs, assumed to be as large, and its sources
   * likewise. Samples of a search are in the space of the outputs, which are encoded after them.
   */
  get remainingBytes(): number {
    if (this.#isEncoded || this.#totalBytes === null) return 0;
    return Math.max(0, this.#totalBytes - this.#arrivedBytes) + this.#producedFiles * this.#totalBytes;
  }

  setKnown(): void {
    this.#isKnown = true;
    this.#markKnown();
  }

  setReceived(doneBytes: number, totalBytes: number | null): void {
    this.#arrivedBytes = doneBytes;
    this.#totalBytes = totalBytes ?? this.#totalBytes;
    this.setKnown();
  }

  markEncoded(): void {
    this.#isEncoded = true;
    this.setKnown();
    this.#onChange();
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.setKnown();
    this.#onChange();
  }
}
