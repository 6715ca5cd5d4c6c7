import { setTimeout as sleep } from 'node:timers/promises';

/** What a job that works in the scratch folder needs of the disk, as far as it is known. */
export interface DiskReservation {
  /** So much of the input has arrived, of so much; null where the server does not tell. */
  setReceived(doneBytes: number, totalBytes: number | null): void;
  /** All that the job makes is on the disk. */
  markEncoded(): void;
  /** Nothing of the job is left there. */
  release(): void;
}

/** What the space is kept by. */
export interface ScratchSpaceOptions {
  /** Bytes that may still be written. */
  readonly freeBytes: () => Promise<number>;
  /** What is left free however many jobs there are. */
  readonly minFreeBytes: number;
  /** How long the first word of a download is waited for that began just before another one, in milliseconds. */
  readonly sizeTimeoutMs?: number;
}

const defaultSizeTimeoutMs = 5000;

interface Waiter {
  readonly sequenceNumber: number;
  readonly sizeBytes: number | null;
  readonly grant: (hold: ScratchReservation) => void;
}

/**
 * Sees to it that jobs which work side by side have room for it: a download begins beside others only where its file fits, with as much
 * again for what is made of it, beside what the others still need. A job that is alone just tries. Those that wait go by their
 * turns, and nobody overtakes: a large file would wait for ever behind small ones.
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
   * Waits for room for one more job. Its size is asked for only where there are others, and that it cannot be told, for whatever reason,
   * counts as nothing. Rejects with the signal's reason when that is aborted.
   */
  async hold(
    sequenceNumber: number,
    sizeOf: () => Promise<number | null>,
    signal: AbortSignal,
  ): Promise<DiskReservation> {
    if (this.#reservations.size === 0 && this.#waiters.length === 0) return this.#begin(null);
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
        grant(hold) {
          signal.removeEventListener('abort', onAbort);
          resolve(hold);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters = [...this.#waiters, waiter].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
      this.#admit();
    });
  }

  /** Whether a file of this size, made now, fits beside what all jobs still need. A disk that cannot be asked is told of by what writes to it. */
  async hasRoomFor(bytes: number): Promise<boolean> {
    const freeBytes = await this.#options.freeBytes().catch(() => Number.POSITIVE_INFINITY);
    const needed = [...this.#reservations].reduce((sum, hold) => sum + hold.remainingBytes, 0);
    return freeBytes - needed - bytes >= this.#options.minFreeBytes;
  }

  #begin(sizeBytes: number | null): ScratchReservation {
    const hold = new ScratchReservation(sizeBytes, () => {
      if (hold.isReleased) this.#reservations.delete(hold);
      this.#admit();
    });
    this.#reservations.add(hold);
    return hold;
  }

  /** Admits the waiting jobs that fit, one after the other. If anything changes meanwhile, it checks again. */
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
        // Somebody came or went in between, and whether that one may go was not asked.
        if (first !== candidate) this.#mustAdmitAgain = true;
        continue;
      }
      this.#waiters = others;
      this.#mustAdmitAgain = true;
      first.grant(this.#begin(first.sizeBytes));
    }
    this.#isAdmitting = false;
  }

  async #canStart({ sizeBytes }: Waiter): Promise<boolean> {
    if (this.#reservations.size === 0) return true;
    return this.hasRoomFor(2 * (sizeBytes ?? 0));
  }

  /** What downloads need that have just begun is known in a moment, and nothing can be said of the room before. */
  async #waitForSizes(): Promise<void> {
    const unknown = [...this.#reservations].filter(({ isKnown }) => !isKnown);
    if (unknown.length === 0) return;
    const timer = new AbortController();
    const timeout = sleep(this.#options.sizeTimeoutMs ?? defaultSizeTimeoutMs, undefined, {
      signal: timer.signal,
    }).catch(() => {});
    await Promise.race([Promise.all(unknown.map(({ whenKnown }) => whenKnown)), timeout]);
    timer.abort();
    for (const hold of unknown) hold.setKnown();
  }
}

class ScratchReservation implements DiskReservation {
  readonly #onChange: () => void;
  #totalBytes: number | null;
  #arrivedBytes = 0;
  #isEncoded = false;
  #isKnown = false;
  isReleased = false;
  #markKnown: () => void = () => {};

  /** Resolves as soon as anything was heard of it. */
  readonly whenKnown: Promise<void> = new Promise((resolve) => {
    this.#markKnown = resolve;
  });

  constructor(totalBytes: number | null, onChange: () => void) {
    this.#totalBytes = totalBytes;
    this.#onChange = onChange;
    if (totalBytes !== null) this.setKnown();
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** What it will still write: the rest of the input, and what is made of it, taken to be as large. */
  get remainingBytes(): number {
    if (this.#isEncoded || this.#totalBytes === null) return 0;
    return Math.max(0, this.#totalBytes - this.#arrivedBytes) + this.#totalBytes;
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
