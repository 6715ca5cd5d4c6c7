import type { Disk } from './disk.js';

interface Turns {
  running: Promise<void> | null;
  /** The turn after the running one: all who come meanwhile share it. */
  next: Promise<void> | null;
}

/**
 * Makes names in folders survive a power cut; whoever asks at about the same time for the same folder shares
 * one fsync. One that has already begun is not joined: it may have missed the newcomer's change.
 */
export class FolderSync {
  readonly #disk: Disk;
  readonly #folders = new Map<string, Turns>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Resolves when everything that happened in the folder up to this call is safe. */
  sync(folder: string): Promise<void> {
    const turns = this.#folders.get(folder) ?? { running: null, next: null };
    this.#folders.set(folder, turns);
    if (turns.next !== null) return turns.next;
    if (turns.running === null) return this.#begin(folder, turns);
    const begin = () => this.#begin(folder, turns);
    turns.next = turns.running.then(begin, begin);
    return turns.next;
  }

  #begin(folder: string, turns: Turns): Promise<void> {
    turns.next = null;
    const running = this.#disk.syncFolder(folder).finally(() => {
      if (turns.running !== running) return;
      turns.running = null;
      if (turns.next === null) this.#folders.delete(folder);
    });
    turns.running = running;
    return running;
  }
}
