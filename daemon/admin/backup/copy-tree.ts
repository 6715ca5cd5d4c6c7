import { chmod, chown, link, open, opendir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, realDisk } from '../../../src/shared/util/disk.js';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import { systemCode } from '../../../src/shared/util/system-code.js';

/** A file of a tree as it was when it was copied. A file that is replaced has another inode or time. */
export interface CopiedFile {
  /** Relative to the tree. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Nanoseconds since 1970. */
  readonly modifiedAt: string;
  readonly inode: string;
}

/** An earlier copy of the same tree, whose unchanged files are linked. */
interface EarlierCopy {
  readonly folder: string;
  readonly files: ReadonlyMap<string, CopiedFile>;
}

/** The number of files that are copied at once. */
const maxConcurrentCopies = 16;
const bufferBytes = 1 << 20;

/**
 * Copies files from a tree that may change meanwhile, with their modes, times and, as root, owners. A file that is
 * removed during the copy is left out. What is copied is durable after `sync`.
 */
export class TreeCopy {
  readonly #from: string;
  readonly #to: string;
  readonly #earlier: EarlierCopy | null;
  readonly #files = new Map<string, CopiedFile>();
  readonly #folders = new Set<string>();
  #linkedCount = 0;
  #copiedBytes = 0;

  constructor(from: string, to: string, earlier: EarlierCopy | null = null) {
    this.#from = from;
    this.#to = to;
    this.#earlier = earlier;
  }

  /** The files that were copied or linked. */
  get files(): readonly CopiedFile[] {
    return [...this.#files.values()];
  }

  get linkedCount(): number {
    return this.#linkedCount;
  }

  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  /**
   * Copies a file, or a folder with its content, names that begin with a dot last. `isLeftOut` gets paths relative to
   * the tree. Skips files that an earlier call has copied.
   */
  async add(path: string, isLeftOut: (path: string) => boolean = () => false): Promise<void> {
    const found = await nullIfMissing(stat(join(this.#from, path)));
    if (found === null) return;
    if (found.isFile()) await this.#addFile(path);
    if (!found.isDirectory()) return;
    await this.#makeFolder(path);
    const names = await namesIn(join(this.#from, path));
    const paths = names.map((name) => join(path, name)).filter((each) => !isLeftOut(each));
    await mapWithConcurrency(
      paths.filter((each) => !this.#files.has(each)),
      path === '' ? 1 : maxConcurrentCopies,
      (each) => this.add(each, isLeftOut),
    );
    // The time of an empty folder of an upload says since when its file is gone.
    if (names.length === 0) await utimes(join(this.#to, path), found.atime, found.mtime);
  }

  /** Makes the names of all files survive a power cut. */
  async sync(): Promise<void> {
    await mapWithConcurrency([...this.#folders], maxConcurrentCopies, (folder) =>
      realDisk.syncFolder(join(this.#to, folder)),
    );
  }

  async #addFile(path: string): Promise<void> {
    await this.#makeFolder(parentOf(path));
    const source = await nullIfMissing(open(join(this.#from, path), 'r'));
    if (source === null) return;
    try {
      const found = await source.stat({ bigint: true });
      const file: CopiedFile = {
        path,
        sizeBytes: Number(found.size),
        modifiedAt: String(found.mtimeNs),
        inode: String(found.ino),
      };
      const target = join(this.#to, path);
      if (await this.#linkEarlier(file, target)) this.#linkedCount += 1;
      else {
        const copy = await open(target, 'wx', 0o600);
        try {
          const buffer = Buffer.allocUnsafe(Math.min(bufferBytes, Math.max(1, file.sizeBytes)));
          // A log may grow meanwhile: not beyond its size at the beginning.
          for (let position = 0; position < file.sizeBytes; ) {
            const wanted = Math.min(buffer.length, file.sizeBytes - position);
            const { bytesRead } = await source.read(buffer, 0, wanted, position);
            if (bytesRead === 0) break;
            await copy.writeFile(buffer.subarray(0, bytesRead));
            position += bytesRead;
          }
          await copy.chmod(Number(found.mode) & 0o777);
          if (process.getuid?.() === 0) await copy.chown(Number(found.uid), Number(found.gid));
          await copy.utimes(Number(found.atimeMs) / 1000, Number(found.mtimeNs) / 1e9);
          await copy.sync();
        } finally {
          await copy.close();
        }
        this.#copiedBytes += file.sizeBytes;
      }
      this.#files.set(path, file);
    } finally {
      await source.close();
    }
  }

  async #linkEarlier(file: CopiedFile, target: string): Promise<boolean> {
    const known = this.#earlier?.files.get(file.path);
    if (known === undefined || this.#earlier === null) return false;
    const { sizeBytes, modifiedAt, inode } = file;
    if (known.sizeBytes !== sizeBytes || known.modifiedAt !== modifiedAt || known.inode !== inode)
      return false;
    return link(join(this.#earlier.folder, file.path), target).then(
      () => true,
      // The file system has no hard links, or too many of this file.
      () => false,
    );
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    if (path !== '') await this.#makeFolder(parentOf(path));
    this.#folders.add(path);
    const target = join(this.#to, path);
    await makeFolder(target, 0o700);
    const found = await nullIfMissing(stat(join(this.#from, path)));
    if (found === null) return;
    await chmod(target, found.mode & 0o777);
    if (process.getuid?.() === 0) await chown(target, found.uid, found.gid);
  }
}

/**
 * The names in a folder, those that begin with a dot last: a file of an upload is copied before its record, which is
 * written first.
 */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await nullIfMissing(opendir(folder));
  if (entries === null) return [];
  const names: string[] = [];
  for await (const { name } of entries) names.push(name);
  const isHidden = (name: string) => name.startsWith('.');
  return [...names.filter((name) => !isHidden(name)).sort(), ...names.filter(isHidden).sort()];
}

/** The folder of a relative path; empty for the tree itself. */
function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

async function nullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
}
