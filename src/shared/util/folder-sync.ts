import type { Disk } from './disk.js';

interface SyncState {
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
  readonly #folders = new Map<string, SyncState>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Resolves when everything that happened in the folder up to this call is safe. */
  sync(folder: string): Promise<void> {
    const state = this.#folders.get(folder) ?? { running: null, next: null };
    this.#folders.set(folder, state);
    if (state.next !== null) return state.next;
    if (state.running === null) return this.#begin(folder, state);
    const begin = () => this.#begin(folder, state);
    state.next = state.running.then(begin, begin);
    return state.next;
  }

  #begin(folder: string, state: SyncState): Promise<void> {
    state.next = null;
    const running = this.#disk.syncFolder(folder).finally(() => {
      if (state.running !== running) return;
      state.running = null;
      if (state.next === null) this.#folders.delete(folder);
    });
    state.running = running;
    return running;
  }
}
