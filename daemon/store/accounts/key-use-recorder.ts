import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { realDisk } from '../../../src/shared/util/disk.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { toWriteError } from '../data-folder/disk-errors.js';
import { readDocument } from '../data-folder/document.js';

/** When keys were used last: ISO times by the short ids of the keys. */
export type KeyUseTimes = Readonly<Record<string, string>>;

/** Milliseconds for which uses are gathered before they are written, where some were written before: the most that a crash forgets. */
const flushIntervalMs = 60_000;
/** The same for uses after a time without any: who looks whether a key is used sees it. */
const firstFlushMs = 1000;

/** Reads `DATA/key-uses.json`. A file that is missing or damaged tells of no use: it is no more than a convenience. */
export async function readKeyUses(path: string): Promise<KeyUseTimes> {
  const found = await readDocument(path, readTimes);
  return found.kind === 'whole' ? found.data : {};
}

/** What noting uses takes. */
export interface KeyUseRecorderOptions {
  readonly path: string;
  /** Whether there still is a key with this id: uses of the others are forgotten. */
  readonly isKey: (id: string) => boolean;
  /** Is told why the uses could not be written. They are kept for the next time. */
  readonly onError: (error: unknown) => void;
  readonly flushIntervalMs?: number;
  readonly firstFlushMs?: number;
}

/**
 * Gathers the uses of keys in memory and writes them, all in one: a second after the first, then at most once a minute; nothing where there
 * was none.
 */
export class KeyUseRecorder {
  readonly #options: KeyUseRecorderOptions;
  readonly #files = new AtomicFiles(realDisk, toWriteError);
  #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeyUseRecorderOptions) {
    this.#options = options;
  }

  /** Notes that a key was used just now. */
  record(keyId: string): void {
    this.#pending.set(keyId, Date.now());
    if (this.#timer === null && !this.#isClosed) {
      this.#timer = setTimeout(() => this.#flush(), this.#untilFlush()).unref();
    }
  }

  /** Writes what is left. Resolves when no write is under way; never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#flush();
    await this.#writing;
  }

  #untilFlush(): number {
    const { flushIntervalMs: gathered = flushIntervalMs, firstFlushMs: first = firstFlushMs } = this.#options;
    return Math.max(first, this.#flushedAt + gathered - performance.now());
  }

  #flush(): void {
    this.#timer = null;
    this.#flushedAt = performance.now();
    this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return;
    this.#pending = new Map();
    const { path, isKey, onError } = this.#options;
    try {
      const before = await readKeyUses(path);
      const fresh = [...pending].map(([id, time]) => [id, new Date(time).toISOString()] as const);
      const all = Object.entries({ ...before, ...Object.fromEntries(fresh) });
      await this.#files.write(path, JSON.stringify(Object.fromEntries(all.filter(([id]) => isKey(id)))));
    } catch (error) {
      this.#pending = new Map([...pending, ...this.#pending]);
      onError(error);
    }
  }
}

function readTimes(value: unknown): KeyUseTimes | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  const isTime = (entry: readonly [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string';
  return entries.every(isTime) ? Object.fromEntries(entries) : null;
}
