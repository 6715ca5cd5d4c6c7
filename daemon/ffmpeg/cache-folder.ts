import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { makeFolder } from '../../src/shared/util/disk.js';
import { homeFolder } from '../../src/shared/util/home-folder.js';

/** The user's own folder for what can be found out again: `$XDG_CACHE_HOME/venc`, else `~/.cache/venc`. */
export function defaultCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const configured = environment.XDG_CACHE_HOME;
  return configured?.startsWith('/') ? join(configured, 'venc') : join(homeFolder(), '.cache', 'venc');
}

/** A short name for a file of the cache, the same for the same words. */
export function cacheFileName(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 20);
}

/** Keeps a text in the cache. A cache that cannot be written is no trouble: the text is asked for again next time. */
export async function writeCacheFile(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path), 0o700);
    await replaceFile(path, (file) => file.write(text));
  } catch {
    return;
  }
}
