import { stat } from 'node:fs/promises';

/**
 * Detects by polling that a file was replaced or changed, outside of any request. `fs.watch` was rejected
 * because it fails on network disks and when the system's watches are exhausted. `fs.watchFile` misses a
 * change that happens before its own first poll.
 */
export class FilePoller {
  readonly #path: string;
  #version: string;
  #timer: NodeJS.Timeout | null = null;
  #onChange: () => Promise<void> = async () => {};
  #polling: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(path: string, version: string) {
    this.#path = path;
    this.#version = version;
  }

  /** Records the current version of the file, which later polls compare with. */
  static async create(path: string): Promise<FilePoller> {
    return new FilePoller(path, await fileVersionOf(path));
  }

  /** Polls at an interval and calls `onChange` if the file has changed. Does not keep the process alive. */
  start(intervalMs: number, onChange: () => Promise<void>): void {
    this.#onChange = onChange;
    const schedule = () => {
      this.#timer = setTimeout(() => {
        void this.poll().finally(() => {
          if (this.#timer !== null) schedule();
        });
      }, intervalMs).unref();
    };
    schedule();
  }

  /**
   * Polls now. Resolves when a poll that began after the call has ended; concurrent calls share one. Never
   * rejects.
   */
  poll(): Promise<void> {
    this.#next ??= this.#polling.then(() => {
      this.#next = null;
      this.#polling = this.#pollOnce();
      return this.#polling;
    });
    return this.#next;
  }

  /** Stops polling; resolves when no call of `onChange` is running. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await (this.#next ?? this.#polling);
  }

  async #pollOnce(): Promise<void> {
    const version = await fileVersionOf(this.#path);
    if (version === this.#version) return;
    try {
      await this.#onChange();
      this.#version = version;
    } catch {
      // The machine lacks a resource: the recorded version stays the old one, so that the next poll tries
      // again.
    }
  }
}

/** Identifies a version of a file; a fixed text if there is no file. */
async function fileVersionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'none';
  }
}
