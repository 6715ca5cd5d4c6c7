import { stat } from 'node:fs/promises';

/**
 * Tells when a file was replaced or changed, by looking at it now and then off the way of any request. `fs.watch` was the
 * other way: it fails on network disks and where the system's watches are used up. `fs.watchFile` misses a change that
 * happens before its own first look.
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

  /** Notes what the file is like now: later looks are compared to that. */
  static async create(path: string): Promise<FilePoller> {
    return new FilePoller(path, await fileVersionOf(path));
  }

  /** Looks every so many milliseconds and calls `changed` where the file is another. Does not keep the process alive. */
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

  /** Looks now. Resolves when a look that began after the call is over; those who ask meanwhile share one. Never rejects. */
  poll(): Promise<void> {
    this.#next ??= this.#polling.then(() => {
      this.#next = null;
      this.#polling = this.#pollOnce();
      return this.#polling;
    });
    return this.#next;
  }

  /** Ends the looking; resolves when no call of `changed` is under way. */
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
      // The machine is short of something: the mark stays the old one, so that the next look tries again.
    }
  }
}

/** What tells one version of a file from the next; a text of its own where there is no file. */
async function fileVersionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'none';
  }
}
