import { open, rename, unlink } from 'node:fs/promises';
import { makeFolder } from './make-folder.js';

/** A file that is being written. */
export interface DiskFile {
  write(text: string): Promise<void>;
  /** Resolves when what was written survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Every way in which the stores change the disk, one step each. It is handed in, so that a test can make the
 * machine die, or the disk run full, between any two of these steps. Reading is not part of it: it changes nothing.
 */
export interface Disk {
  /** Makes a folder, and those above it, for the owner alone; content where it is there. */
  makeFolder(path: string): Promise<void>;
  /** Makes a file that must not be there yet, readable and writable for the owner alone. */
  create(path: string): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when the names in a folder survive a power cut. */
  syncFolder(path: string): Promise<void>;
}

/** The disk of this machine. */
export const realDisk: Disk = {
  async makeFolder(path) {
    await makeFolder(path, 0o700);
  },
  async create(path) {
    const handle = await open(path, 'wx', 0o600);
    return {
      write: (text) => handle.writeFile(text),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  rename,
  remove: unlink,
  async syncFolder(path) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

/** A disk that is asked before each step whether it may still be changed; `check` throws where not. */
export function guardDisk(disk: Disk, check: () => void): Disk {
  return {
    async makeFolder(path) {
      check();
      await disk.makeFolder(path);
    },
    async create(path) {
      check();
      return disk.create(path);
    },
    async rename(from, to) {
      check();
      await disk.rename(from, to);
    },
    async remove(path) {
      check();
      await disk.remove(path);
    },
    async syncFolder(path) {
      check();
      await disk.syncFolder(path);
    },
  };
}
