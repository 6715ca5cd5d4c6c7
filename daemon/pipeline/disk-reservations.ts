import { setTimeout as sleep } from 'node:timers/promises';

/** What a job that works in the scratch folder needs of the disk, as far as it is known. */
export interface ScratchHold {
  /** So much of the input has arrived, of so much; null where the server does not tell. */
  arrived(doneBytes: number, totalBytes: number | null): void;
  /** All that the job makes is on the disk. */
  made(): void;
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
  readonly firstWordMs?: number;
}

const usualFirstWordMs = 5000;

interface Waiter {
  readonly turn: number;
  readonly sizeBytes: number | null;
  readonly go: (hold: Hold) => void;
}

/**
 * Sees to it that jobs which work side by side have room for it: a download begins beside others only where its file fits, with as much
 * again for what is made of it, beside what the others still need. A job that is alone just tries. Those that wait go by their
 * turns, and nobody overtakes: a large file would wait for ever behind small ones.
 */
export class ScratchSpace {
  readonly #options: ScratchSpaceOptions;
  readonly #holds = new Set<Hold>();
  #waiting: readonly Waiter[] = [];
  #isAdmitting = false;
  #isToAdmitAgain = false;

  constructor(options: ScratchSpaceOptions) {
    this.#options = options;
  }

  /**
   * Waits for room for one more job. Its size is asked for only where there are others, and that it cannot be told, for whatever reason,
   * counts as nothing. Rejects with the signal's reason when that is aborted.
   */
  async hold(turn: number, sizeOf: () => Promise<number | null>, signal: AbortSignal): Promise<ScratchHold> {
    if (this.#holds.size === 0 && this.#waiting.length === 0) return this.#begin(null);
    const sizeBytes = await sizeOf().catch(() => null);
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal.reason);
        this.#admit();
      };
      const waiter: Waiter = {
        turn,
        sizeBytes,
        go(hold) {
          signal.removeEventListener('abort', giveUp);
          resolve(hold);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting = [...this.#waiting, waiter].sort((a, b) => a.turn - b.turn);
      this.#admit();
    });
  }

  /** Whether a file of this size, made now, fits beside what all jobs still need. A disk that cannot be asked is told of by what writes to it. */
  async hasRoomFor(bytes: number): Promise<boolean> {
    const freeBytes = await this.#options.freeBytes().catch(() => Number.POSITIVE_INFINITY);
    const needed = [...this.#holds].reduce((sum, hold) => sum + hold.missingBytes, 0);
    return freeBytes - needed - bytes >= this.#options.minFreeBytes;
  }

  #begin(sizeBytes: number | null): Hold {
    const hold = new Hold(sizeBytes, () => {
      if (hold.isReleased) this.#holds.delete(hold);
      this.#admit();
    });
    this.#holds.add(hold);
    return hold;
  }

  /** Lets in whoever fits, one after the other. What happens meanwhile makes it look again. */
  #admit(): void {
    this.#isToAdmitAgain = true;
    if (this.#isAdmitting || this.#waiting.length === 0) return;
    this.#isAdmitting = true;
    void this.#admitAll();
  }

  async #admitAll(): Promise<void> {
    while (this.#isToAdmitAgain && this.#waiting.length > 0) {
      this.#isToAdmitAgain = false;
      await this.#firstWords();
      const [seen] = this.#waiting;
      const mayGo = seen !== undefined && (await this.#mayGo(seen));
      const [first, ...others] = this.#waiting;
      if (!mayGo || first === undefined || first !== seen) {
        // Somebody came or went in between, and whether that one may go was not asked.
        if (first !== seen) this.#isToAdmitAgain = true;
        continue;
      }
      this.#waiting = others;
      this.#isToAdmitAgain = true;
      first.go(this.#begin(first.sizeBytes));
    }
    this.#isAdmitting = false;
  }

  async #mayGo({ sizeBytes }: Waiter): Promise<boolean> {
    if (this.#holds.size === 0) return true;
    return this.hasRoomFor(2 * (sizeBytes ?? 0));
  }

  /** What downloads need that have just begun is known in a moment, and nothing can be said of the room before. */
  async #firstWords(): Promise<void> {
    const unknown = [...this.#holds].filter(({ isKnown }) => !isKnown);
    if (unknown.length === 0) return;
    const timer = new AbortController();
    const patience = sleep(this.#options.firstWordMs ?? usualFirstWordMs, undefined, {
      signal: timer.signal,
    }).catch(() => {});
    await Promise.race([Promise.all(unknown.map(({ known }) => known)), patience]);
    timer.abort();
    for (const hold of unknown) hold.know();
  }
}

class Hold implements ScratchHold {
  readonly #onChange: () => void;
  #totalBytes: number | null;
  #arrivedBytes = 0;
  #isMade = false;
  #isKnown = false;
  isReleased = false;
  #markKnown: () => void = () => {};

  /** Resolves as soon as anything was heard of it. */
  readonly known: Promise<void> = new Promise((resolve) => {
    this.#markKnown = resolve;
  });

  constructor(totalBytes: number | null, onChange: () => void) {
    this.#totalBytes = totalBytes;
    this.#onChange = onChange;
    if (totalBytes !== null) this.know();
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** What it will still write: the rest of the input, and what is made of it, taken to be as large. */
  get missingBytes(): number {
    if (this.#isMade || this.#totalBytes === null) return 0;
    return Math.max(0, this.#totalBytes - this.#arrivedBytes) + this.#totalBytes;
  }

  know(): void {
    this.#isKnown = true;
    this.#markKnown();
  }

  arrived(doneBytes: number, totalBytes: number | null): void {
    this.#arrivedBytes = doneBytes;
    this.#totalBytes = totalBytes ?? this.#totalBytes;
    this.know();
  }

  made(): void {
    this.#isMade = true;
    this.know();
    this.#onChange();
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.know();
    this.#onChange();
  }
}
