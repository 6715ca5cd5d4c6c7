import type { BigIntStats } from 'node:fs';
import * as fs from 'node:fs';
import { chown, mkdir, open, readFile, stat, statfs, unlink } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { VencError } from '../errors.js';
import { systemCode } from './system-code.js';

/**
 * Options to read a text file of a folder that others can write to. A named pipe in its place reads as empty; without
 * the flag, the read would wait for a writer for ever.
 */
export const textFileOptions = {
  encoding: 'utf8',
  // Not defined on Windows.
  flag: fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0),
} as const;

const tooLarge = 'ERR_FS_FILE_TOO_LARGE';

/**
 * The code of an error of a read. Node.js has one for files of 2 GiB, and none for text that is longer than a string
 * can be.
 */
export function readErrorCode(error: unknown): string | null {
  return error instanceof RangeError ? tooLarge : systemCode(error);
}

const unusable: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder, and must be a file',
  [tooLarge]: 'is larger than any text that venc writes there',
};

/**
 * Reads such a file; null if there is none. Rejects with `UsageError` if there is a folder or a file of more than
 * half a gigabyte in its place, otherwise with the system's error.
 */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, textFileOptions);
  } catch (error) {
    const code = readErrorCode(error) ?? '';
    if (code === 'ENOENT') return null;
    const reason = unusable[code];
    if (reason === undefined) throw error;
    throw new VencError('UsageError', `${path} ${reason}.`, {
      cause: error,
      hint: 'Remove it, or move it away.',
    });
  }
}

/** A file that is being written. */
export interface DiskFile {
  write(text: string): Promise<void>;
  /** Resolves when the written data survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Every operation with which the stores change the disk, one step each. It is injected, so that a test can simulate a
 * crash or a full disk between any two steps. Reads are not included, because they change nothing.
 */
export interface Disk {
  /** Creates a folder and its missing parents, accessible only to the owner. A no-op if it exists. */
  makeFolder(path: string): Promise<void>;
  /** Creates a file that must not exist yet, readable and writable only by the owner. */
  create(path: string): Promise<DiskFile>;
  /**
   * Appends whole lines to a file, which is created, readable and writable only by the owner, if it is missing. Begins
   * a new line first if the file ends within one, as after a crash. Not durable. Resolves to the size of the file.
   * Rejects if the path is not that of a file.
   */
  append(path: string, lines: string): Promise<number>;
  /** Cuts a file to a length in bytes. Resolves when that survives a power cut. */
  truncate(path: string, length: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when the names in a folder survive a power cut. */
  syncFolder(path: string): Promise<void>;
}

// From `node:fs`: those of `node:fs/promises` take twice the processor time for a small file (Node 20).
const openFile = (path: string, flags: string, mode?: number) =>
  called<number>((done) => fs.open(path, flags, mode, done));
const syncFile = (file: number) => called<void>((done) => fs.fsync(file, done));
const closeFile = (file: number) => called<void>((done) => fs.close(file, done));

async function writeText(file: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; )
    offset += await called<number>((done) => fs.write(file, bytes, offset, done));
}

/** Resolves to the result of a function with a callback. */
function called<T>(start: (done: (error: Error | null, result?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error === null ? resolve(result as T) : reject(error)));
  });
}

/** The disk of this machine. */
export const realDisk: Disk = {
  async makeFolder(path) {
    await makeFolder(path, 0o700);
  },
  async create(path) {
    const file = await openFile(path, 'wx', 0o600);
    return {
      write: (text) => writeText(file, text),
      sync: () => syncFile(file),
      close: () => closeFile(file),
    };
  },
  append: (path, lines) => append(path, lines),
  async truncate(path, length) {
    const file = await openFile(path, 'r+');
    try {
      await called<void>((done) => fs.ftruncate(file, length, done));
      await syncFile(file);
    } finally {
      await closeFile(file);
    }
  },
  rename: (from, to) => called((done) => fs.rename(from, to, done)),
  remove: (path) => unlink(path),
  async syncFolder(path) {
    const folder = await openFile(path, 'r');
    try {
      await syncFile(folder);
    } finally {
      await closeFile(folder);
    }
  },
};

/**
 * The disk of this machine for files that need not survive a power cut, such as the records of a one-shot run: its
 * folder is removed at its end. While an encoder writes 1 GB, an fsync of them took up to 0.1 s.
 */
export const unsyncedDisk: Disk = {
  ...realDisk,
  async create(path) {
    return { ...(await realDisk.create(path)), sync: async () => {} };
  },
  syncFolder: async () => {},
};

/** Wraps a disk so that `check` runs before each step; it throws if the disk may no longer be changed. */
export function guardDisk(disk: Disk, check: () => void): Disk {
  return {
    async makeFolder(path) {
      check();
      await disk.makeFolder(path);
    },
    async create(path) {
      check();
      const file = await disk.create(path);
      // A file may stay open for long.
      return {
        async write(text) {
          check();
          await file.write(text);
        },
        async sync() {
          check();
          await file.sync();
        },
        close: () => file.close(),
      };
    },
    async append(path, lines) {
      check();
      return disk.append(path, lines);
    },
    async truncate(path, length) {
      check();
      await disk.truncate(path, length);
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

const lineFeed = 0x0a;

async function append(path: string, lines: string): Promise<number> {
  const file = await open(path, 'a+', 0o600);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: 'EISDIR' });
    const last = Buffer.alloc(1, lineFeed);
    if (found.size > 0) await file.read(last, 0, 1, found.size - 1);
    const bytes = Buffer.from(last[0] === lineFeed ? lines : `\n${lines}`);
    await file.writeFile(bytes);
    return found.size + bytes.length;
  } finally {
    await file.close();
  }
}

/**
 * Creates a folder and its missing parents. Resolves to the absolute path of the first folder that was created; null
 * if all existed. Rejects with the system's error if the folder cannot be created; parents that were created stay.
 *
 * Not the `recursive` option of Node: it never returns in a folder where no folder can be created, such as `/proc`.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | null> {
  const folder = resolve(path);
  const above = dirname(folder);
  const error = await make(folder, mode);
  if (error === null) return folder;
  if (await isFolder(folder)) return null;
  if (!isMissing(error) || above === folder) throw error;
  const first = await makeFolder(above, mode);
  const last = await make(folder, mode);
  if (last !== null && !(await isFolder(folder))) throw last;
  return first ?? folder;
}

/**
 * Makes the names of new folders survive a power cut: of `folder` and its parents up to `first`, the result of
 * `makeFolder`. Skips parents that this user may not read.
 */
export async function syncNewFolders(folder: string, first: string | null): Promise<void> {
  if (first === null) return;
  for (let created = resolve(folder); created.length >= first.length; created = dirname(created)) {
    await realDisk.syncFolder(dirname(created)).catch((error: unknown) => {
      if (!deniedCodes.has(systemCode(error) ?? '')) throw error;
    });
  }
}

const deniedCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

/** Creates one folder; resolves to the error, or null. */
function make(folder: string, mode: number): Promise<unknown> {
  return mkdir(folder, { mode }).then(
    () => null,
    (error: unknown) => error,
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

/**
 * Changes the owner of a new file to that of its folder. Only root can and needs to do so: a file with mode 0600
 * created by `sudo venc keys create` would otherwise belong to root and be unreadable for the daemon of the user. If
 * root is not allowed to change it (network disks), the owner stays.
 */
export async function chownToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await chown(path, uid, gid).catch(() => undefined);
}

/** Free bytes on the volume of a folder, as available to this process. */
export async function freeBytes(folder: string): Promise<number> {
  const volume = await statfs(folder);
  return volume.bavail * volume.bsize;
}

/**
 * Identifies a file, whatever its name: by its device and inode, and by the time of its creation if the file system has
 * that. The inode of a deleted file may be used again, for a file of somebody else.
 */
export function identityOf({ dev, ino, birthtimeNs, ctimeNs }: BigIntStats): string {
  // Where there is no such time, some versions of Node.js return another one, which changes.
  const hasBirth = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return `${dev}:${ino}${hasBirth ? `@${birthtimeNs}` : ''}`;
}

/** The identity of the file that a path names, also through links; null if there is none. */
export function fileIdentity(path: string): Promise<string | null> {
  return stat(path, { bigint: true }).then(identityOf, () => null);
}

/** Whether two identities are of one file. */
export function isSameFile(a: string, b: string): boolean {
  const [[file, birth], [otherFile, otherBirth]] = [a.split('@'), b.split('@')];
  return file === otherFile && (birth === undefined || otherBirth === undefined || birth === otherBirth);
}

/**
 * Identifies the place of a file: device and inode of the file or, while it does not exist, of its folder, and the
 * name. With `folders`, each folder of many files is looked up once.
 */
export async function placeIdentity(
  path: string,
  folders: Map<string, Promise<string>> = new Map(),
): Promise<string> {
  const [file] = (await fileIdentity(path))?.split('@') ?? [];
  const folder = dirname(path);
  if (file !== undefined || folder === path) return file ?? path;
  const place = folders.get(folder) ?? placeIdentity(folder, folders);
  folders.set(folder, place);
  return `${await place}/${basename(path)}`;
}
