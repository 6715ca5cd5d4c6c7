import { randomBytes } from 'node:crypto';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { textFileOptions } from '../../src/shared/util/disk.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { makeFolders } from './folders.js';

/** An unfinished upload on a server, which would stay there if this program were killed now. */
export interface Orphan {
  /** Destination of the upload; its scheme selects the transport that removes the orphan. May contain a password. */
  readonly url: string;
  /** The name by which the transport finds it: a temporary path, or the ID of a multipart upload. */
  readonly name: string;
  /** Folders that were created for it, outermost first. They are removed too if they are empty. */
  readonly folders?: readonly string[];
}

/**
 * Records unfinished uploads, so that the next start removes the orphans of a killed daemon. An entry is on disk before
 * the upload begins, and is deleted when the upload is complete or removed.
 */
export interface CleanupJournal {
  /** Adds an entry. Resolves, once the entry survives a crash, to a function that deletes it. */
  add(orphan: Orphan): Promise<() => Promise<void>>;
}

/** A journal that records nothing, for programs without a data folder. Their orphans stay if they are killed. */
export const noCleanupJournal: CleanupJournal = { add: async () => async () => {} };

/** One entry that an earlier process left. */
interface JournalEntry {
  readonly orphan: Orphan;
  /** Deletes the entry. */
  readonly removeEntry: () => Promise<void>;
}

/** A journal that stores each entry as a file with mode 0600, because URLs may contain passwords. */
export interface StoredCleanupJournal extends CleanupJournal {
  /** Reads all entries, and deletes invalid files. */
  entries(): Promise<readonly JournalEntry[]>;
}

/** Opens the journal in a folder, which is created with the first entry. */
export function openCleanupJournal(folder: string): StoredCleanupJournal {
  const removeEntry = (path: string) => () => unlink(path).catch(() => undefined);
  return {
    async add(orphan) {
      await makeFolders(folder, 0o700);
      const path = join(folder, `${randomBytes(8).toString('hex')}.json`);
      await replaceFile(path, (file) => file.write(JSON.stringify(orphan)));
      return removeEntry(path);
    },
    async entries() {
      const names = await readdir(folder).catch(() => []);
      const entries: JournalEntry[] = [];
      for (const name of names) {
        const path = join(folder, name);
        const orphan = parseOrphan(await readFile(path, textFileOptions).catch(() => ''));
        if (orphan === null) await unlink(path).catch(() => undefined);
        else entries.push({ orphan, removeEntry: removeEntry(path) });
      }
      return entries;
    },
  };
}

/** Returns null for an incomplete entry: its upload had not started when the crash cut it off. */
function parseOrphan(text: string): Orphan | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { url, name } = value;
    if (typeof url !== 'string' || typeof name !== 'string') return null;
    const folders = Array.isArray(value.folders) ? value.folders : [];
    const isNamed = (folder: unknown): folder is string => typeof folder === 'string';
    return folders.length === 0 ? { url, name } : { url, name, folders: folders.filter(isNamed) };
  } catch {
    return null;
  }
}
