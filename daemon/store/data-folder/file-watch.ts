import { stat } from 'node:fs/promises';

/**
 * Tells when a file was replaced or changed, by looking at it now and then off the way of any request. `fs.watch` was the
 * other way: it fails on network disks and where the system's watches are used up. `fs.watchFile` misses a change that
 * happens before its own first look.
 */
export class FileWatch {
  readonly #path: string;
  #mark: string;
  #timer: NodeJS.Timeout | null = null;
  #changed: () => Promise<void> = async () => {};
  #looking: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(path: string, mark: string) {
    this.#path = path;
    this.#mark = mark;
  }

  /** Notes what the file is like now: later looks are compared to that. */
  static async begin(path: string): Promise<FileWatch> {
    return new FileWatch(path, await markOf(path));
  }

  /** Looks every so many milliseconds and calls `changed` where the file is another. Does not keep the process alive. */
  every(intervalMs: number, changed: () => Promise<void>): void {
    this.#changed = changed;
    const schedule = () => {
      this.#timer = setTimeout(() => {
        void this.now().finally(() => {
          if (this.#timer !== null) schedule();
        });
      }, intervalMs).unref();
    };
    schedule();
  }

  /** Looks now. Resolves when a look that began after the call is over; those who ask meanwhile share one. Never rejects. */
  now(): Promise<void> {
    this.#next ??= this.#looking.then(() => {
      this.#next = null;
      this.#looking = this.#look();
      return this.#looking;
    });
    return this.#next;
  }

  /** Ends the looking; resolves when no call of `changed` is under way. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await (this.#next ?? this.#looking);
  }

  async #look(): Promise<void> {
    const mark = await markOf(this.#path);
    if (mark === this.#mark) return;
    try {
      await this.#changed();
      this.#mark = mark;
    } catch {
      // The machine is short of something: the mark stays the old one, so that the next look tries again.
    }
  }
}

/** What tells one version of a file from the next; a text of its own where there is no file. */
async function markOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'none';
  }
}
