import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobRecord } from '../../shared/records.js';
import { fileNameInUrl, isUrl, siblingInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';

/** The extensions of containers with tracks for captions. */
const withTracks = /\.(?:mp4|m4v|mov|mkv|webm)$/i;

/**
 * The files that captions next to an output could replace: `STEM.LANGUAGE.vtt`. The languages are those of the input,
 * so they are not known before the encode. Files that the request itself names as captions are kept by the daemon.
 */
export async function replaceableCaptions(
  path: string,
  { subtitles = null, caption_url: files = null }: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const isSidecar = typeof subtitles === 'string' && subtitles.toLowerCase() === 'sidecar';
  if (isUrl(path) || !(isSidecar || (files !== null && subtitles === null && !withTracks.test(path))))
    return [];
  const given = new Set(captionPaths(files));
  const stem = withoutExtension(basename(path));
  const names = await readdir(dirname(resolve(path))).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${stem}.`) && /^\.[A-Za-z0-9-]+\.vtt$/.test(name.slice(stem.length)))
    .filter((name) => !given.has(resolve(dirname(path), name)))
    .map((name) => join(dirname(path), name));
}

/** The paths of the captions of a request that are files of this machine. */
function captionPaths(files: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(files) ? files : [files];
  return list
    .map((file) => (isObject(file) ? file.url : file))
    .filter((url) => typeof url === 'string' && url.startsWith('file:///'))
    .map((url) => fileURLToPath(String(url)));
}

/** The captions next to an output, as its destination is written: a path or a URL. */
export function writtenCaptions(
  { caption_files: files = [] }: JobRecord['output_media_files'][number],
  destination: string,
): readonly string[] {
  const names = files.map(({ url }) => fileNameInUrl(url));
  return names.map((name) =>
    isUrl(destination) ? siblingInUrl(destination, name) : join(dirname(destination), name),
  );
}
