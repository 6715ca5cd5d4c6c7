import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { isObject } from '../../src/shared/util/is-object.js';

/** Something unfinished that lies at a server, and would lie there for good if this program were ended now. */
export interface Orphan {
  /** Where the whole file was to go; its scheme says who can take the rest away. May hold a password. */
  readonly url: string;
  /** What the transport knows it by there: a temporary path, the id of an upload in parts. */
  readonly name: string;
  /** Folders that were made for it there, the outermost first: taken away, too, where nothing else has come to lie in them. */
  readonly folders?: readonly string[];
}

/**
 * Remembers what lies unfinished at servers, so that what a killed daemon left there is taken away at the next start. A note is on disk
 * before the upload begins, and is deleted when the upload is complete or removed.
 */
export interface CleanupJournal {
  /** Adds an entry. Resolves, once the entry survives a crash, to a function that deletes it. */
  add(orphan: Orphan): Promise<() => Promise<void>>;
}

/** For a program that keeps nothing on disk: what it leaves when it is killed stays. */
export const noCleanupJournal: CleanupJournal = { add: async () => async () => {} };

/** One note that an earlier program left. */
export interface JournalEntry {
  readonly orphan: Orphan;
  /** Tears the note up. */
  readonly removeEntry: () => Promise<void>;
}

/** Keeps notes as files of a folder, mode 0600, since URLs hold passwords. */
export interface StoredCleanupJournal extends CleanupJournal {
  /** The notes that are there. Files that are none are taken away. */
  entries(): Promise<readonly JournalEntry[]>;
}

/** Opens the notes below a folder, which is made with the first one. */
export function openCleanupJournal(folder: string): StoredCleanupJournal {
  const removeEntry = (path: string) => () => unlink(path).catch(() => undefined);
  return {
    async add(orphan) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${randomBytes(8).toString('hex')}.json`);
      await replaceFile(path, (file) => file.write(JSON.stringify(orphan)));
      return removeEntry(path);
    },
    async entries() {
      const names = await readdir(folder).catch(() => []);
      const entries: JournalEntry[] = [];
      for (const name of names) {
        const path = join(folder, name);
        const orphan = parseOrphan(await readFile(path, 'utf8').catch(() => ''));
        if (orphan === null) await unlink(path).catch(() => undefined);
        else entries.push({ orphan, removeEntry: removeEntry(path) });
      }
      return entries;
    },
  };
}

/** A note that was cut off by a crash was not yet relied upon. */
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
