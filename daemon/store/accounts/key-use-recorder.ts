import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { DurableJsonFile, JsonDocument } from '../data-folder/document.js';

/** The last uses of keys: ISO times by the short ids of the keys. */
export type KeyUseTimes = Readonly<Record<string, string>>;

/** Minimum interval between two writes, in milliseconds. A crash loses at most the uses of this interval. */
const flushIntervalMs = 60_000;
/** After an idle period, the first use is written after this delay, so that it is soon visible. */
const firstFlushMs = 1000;

/** `DATA/key-uses.json`. A missing or damaged file counts as empty: it is only a convenience. */
export function keyUsesDocument(path: string, files?: AtomicFiles): JsonDocument<KeyUseTimes> {
  return new JsonDocument(new DurableJsonFile({ path, parse: parseTimes, files }), {});
}

/**
 * Adds uses to `DATA/key-uses.json`. `isKey` returns whether a key with an id still exists; uses of other keys are
 * dropped.
 */
export function addKeyUses(path: string, uses: KeyUseTimes, isKey: (id: string) => boolean): Promise<void> {
  return keyUsesDocument(path).update((before) =>
    Object.fromEntries(Object.entries({ ...before, ...uses }).filter(([id]) => isKey(id))),
  );
}

/** The options of `KeyUseRecorder`. */
interface KeyUseRecorderOptions {
  /** Writes uses, in addition to those that were written before. */
  readonly write: (uses: KeyUseTimes) => Promise<void>;
  /** Called if the uses could not be written. They are kept for the next write. */
  readonly onError: (error: unknown) => void;
  readonly flushIntervalMs?: number;
  readonly firstFlushMs?: number;
}

/**
 * Collects the uses of keys in memory and writes them together: a second after the first, then at most once a
 * minute, and never if there were none.
 */
export class KeyUseRecorder {
  readonly #options: KeyUseRecorderOptions;
  #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeyUseRecorderOptions) {
    this.#options = options;
  }

  /** Records that a key was used now. */
  record(keyId: string): void {
    this.#pending.set(keyId, Date.now());
    if (this.#timer === null && !this.#isClosed) {
      this.#timer = setTimeout(() => this.#flush(), this.#untilFlush()).unref();
    }
  }

  /** Writes the remaining uses. Resolves when no write is running; never rejects. */
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
    const { write, onError } = this.#options;
    try {
      const uses = [...pending].map(([id, time]) => [id, new Date(time).toISOString()] as const);
      await write(Object.fromEntries(uses));
    } catch (error) {
      this.#pending = new Map([...pending, ...this.#pending]);
      onError(error);
    }
  }
}

function parseTimes(value: unknown): KeyUseTimes | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  const isTime = (entry: readonly [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string';
  return entries.every(isTime) ? Object.fromEntries(entries) : null;
}
