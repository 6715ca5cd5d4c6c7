import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeUrlPart, isUrl } from '../../shared/text/url-text.js';
import type { Context } from '../context.js';

/** Files of text: captions and playlists. */
const textPattern = /\.(?:vtt|srt|ttml|dfxp|smil|scc|m3u8|mpd)$/i;
/** Some file systems keep times to two seconds. */
const timeToleranceMs = 2000;

/**
 * Opens the check of `--skip-existing`: whether all results of an input exist, have their last packets, and are not
 * older than the input. Results elsewhere are not looked at, so they count as missing. Rejects with `UnavailableError`
 * if there is no ffmpeg.
 */
export async function openResultCheck(
  programs: Awaited<ReturnType<Context['programs']>>,
  signal: AbortSignal,
): Promise<(input: unknown, paths: readonly string[]) => Promise<boolean>> {
  const { openMediaCheck } = await import('../../../daemon/app/local-files.js');
  const isWholeMedia = await openMediaCheck(programs, signal);
  return async (input, paths) => {
    const source = typeof input === 'string' && /^file:/i.test(input) ? fileURLToPath(input) : null;
    const sourceTimeMs = source === null ? 0 : ((await stat(source).catch(() => null))?.mtimeMs ?? 0);
    for (const path of paths) {
      const found = isUrl(path) ? null : await stat(path).catch(() => null);
      if (found === null || !found.isFile() || found.mtimeMs + timeToleranceMs < sourceTimeMs) return false;
      signal.throwIfAborted();
      if (!(await (textPattern.test(path) ? isWholeText(path) : isWholeMedia(path)))) return false;
    }
    return true;
  };
}

/** Whether a file of text is complete; a playlist also needs its files. */
async function isWholeText(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (/\.mpd$/i.test(path)) return text.trimEnd().endsWith('</MPD>');
  if (!/\.m3u8$/i.test(path)) return text.trim() !== '';
  if (!/^#EXT-X-(?:ENDLIST|STREAM-INF)/m.test(text)) return false;
  const files = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#') && !isUrl(line));
  for (const file of new Set(files)) {
    const found = await stat(join(dirname(path), decodeUrlPart(file))).catch(() => null);
    if (found === null || found.size === 0) return false;
  }
  return true;
}
