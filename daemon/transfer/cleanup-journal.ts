import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { Leftover, LeftoverBook } from './orphans.js';

/** One note that an earlier program left. */
export interface LeftoverNote {
  readonly leftover: Leftover;
  /** Tears the note up. */
  readonly tearUp: () => Promise<void>;
}

/** Keeps notes as files of a folder, mode 0600, since URLs hold passwords. */
export interface LeftoverFolder extends LeftoverBook {
  /** The notes that are there. Files that are none are taken away. */
  notes(): Promise<readonly LeftoverNote[]>;
}

/** Opens the notes below a folder, which is made with the first one. */
export function leftoverFolder(folder: string): LeftoverFolder {
  const tearUp = (path: string) => () => unlink(path).catch(() => undefined);
  return {
    async note(leftover) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${randomBytes(8).toString('hex')}.json`);
      await replaceFile(path, (file) => file.write(JSON.stringify(leftover)));
      return tearUp(path);
    },
    async notes() {
      const names = await readdir(folder).catch(() => []);
      const notes: LeftoverNote[] = [];
      for (const name of names) {
        const path = join(folder, name);
        const leftover = read(await readFile(path, 'utf8').catch(() => ''));
        if (leftover === null) await unlink(path).catch(() => undefined);
        else notes.push({ leftover, tearUp: tearUp(path) });
      }
      return notes;
    },
  };
}

/** A note that was cut off by a crash was not yet relied upon. */
function read(text: string): Leftover | null {
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
