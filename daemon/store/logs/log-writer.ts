import { dirname } from 'node:path';
import type { Disk } from '../../../src/shared/util/disk.js';
import { KeyedMutex, mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import { systemCode } from '../../../src/shared/util/system-code.js';

/** The dependencies of a `LogWriter`. */
interface LogWriterOptions {
  readonly disk: Disk;
  /** Whether lines may be written to a file, asked just before they are. Never rejects. */
  readonly isWanted: (path: string) => Promise<boolean>;
  /** Called after lines were appended, with the size of the file. */
  readonly onAppended: (path: string, sizeBytes: number) => Promise<void>;
  /** Called with the error when writing begins to fail, and with null when it works again. */
  readonly onStateChange: (error: unknown) => void;
  /** The time for which lines are collected, in milliseconds. */
  readonly batchMs?: number;
  /** The time without a failure after which writing works again, in milliseconds. */
  readonly recoveryMs?: number;
}

/** Lines beyond this many characters are dropped: the disk is full or does not answer. */
const maxPendingCharacters = 1024 * 1024;
const defaultBatchMs = 200;
/** On a disk that is almost full, writes fail and succeed by turns. */
const defaultRecoveryMs = 60_000;
const maxConcurrentWrites = 4;

/**
 * Appends lines to files, in batches. Opens a file only while it writes a batch, keeps nothing about files in memory,
 * and drops lines that cannot be written.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #mutex = new KeyedMutex<string>();
  readonly #pending = new Map<string, string[]>();
  #pendingCharacters = 0;
  #timer: NodeJS.Timeout | null = null;
  /** When a write failed last; null if writing works. */
  #failedAt: number | null = null;

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** Adds a line, without its line feed. */
  add(path: string, line: string): void {
    if (this.#pendingCharacters + line.length > maxPendingCharacters) return;
    this.#pendingCharacters += line.length;
    const lines = this.#pending.get(path);
    if (lines === undefined) this.#pending.set(path, [line]);
    else lines.push(line);
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.batchMs ?? defaultBatchMs).unref();
  }

  /** Resolves when all lines are written or dropped. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await mapWithConcurrency([...this.#pending.keys()], maxConcurrentWrites, (path) => this.flushFile(path));
    await this.#mutex.idle();
  }

  /** The same for the lines of one file. */
  async flushFile(path: string): Promise<void> {
    await this.runExclusive(path, async () => {
      const lines = this.#take(path);
      if (lines.length === 0 || !(await this.#options.isWanted(path))) return;
      try {
        const sizeBytes = await this.#append(path, lines.map((line) => `${line}\n`).join(''));
        await this.#options.onAppended(path, sizeBytes);
        this.#recordSuccess();
      } catch (error) {
        if (this.#failedAt === null) this.#options.onStateChange(error);
        this.#failedAt = performance.now();
      }
    });
  }

  /** Runs work on a file during which no lines are written to it. */
  runExclusive<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(path, work);
  }

  /** Drops the lines of a file that are not written yet. */
  drop(path: string): void {
    this.#take(path);
  }

  #take(path: string): readonly string[] {
    const lines = this.#pending.get(path) ?? [];
    this.#pending.delete(path);
    for (const line of lines) this.#pendingCharacters -= line.length;
    return lines;
  }

  async #append(path: string, lines: string): Promise<number> {
    const { disk } = this.#options;
    try {
      return await disk.append(path, lines);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      await disk.makeFolder(dirname(path));
      return disk.append(path, lines);
    }
  }

  #recordSuccess(): void {
    const { recoveryMs = defaultRecoveryMs, onStateChange } = this.#options;
    if (this.#failedAt === null || performance.now() - this.#failedAt < recoveryMs) return;
    this.#failedAt = null;
    onStateChange(null);
  }
}
