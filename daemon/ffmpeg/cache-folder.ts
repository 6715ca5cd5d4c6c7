import { createHash, randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { homeFolder } from '../../src/shared/util/home-folder.js';
import { makeFolder } from '../../src/shared/util/make-folder.js';

/** The user's own folder for what can be found out again: `$XDG_CACHE_HOME/venc`, else `~/.cache/venc`. */
export function defaultCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment.XDG_CACHE_HOME;
  return given?.startsWith('/') ? join(given, 'venc') : join(homeFolder(), '.cache', 'venc');
}

/** A short name for a file of the cache, the same for the same words. */
export function cacheName(...words: readonly string[]): string {
  return createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 20);
}

/**
 * Puts a file in its place in one step: `write` fills a temporary neighbour, which then takes the final name. Whoever
 * looks meanwhile sees the old file or the new one. Rejects as the file system does, and leaves nothing then.
 */
export async function replaceFile(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.part`);
  await makeFolder(dirname(path), 0o700);
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Keeps a text in the cache. A cache that cannot be written is no trouble: the text is asked for again next time. */
export async function keepText(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, (temporary) => writeFile(temporary, text, { mode: 0o600 }));
  } catch {
    return;
  }
}
