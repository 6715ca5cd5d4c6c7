import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JobRecord } from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { outputTable } from '../../shared/settings/index.js';
import { parseValue } from '../../shared/settings/kinds/groups.js';
import { qualityLogName } from '../../shared/settings/quality.js';
import { methodOf } from '../../shared/settings/thumbnail-rules.js';
import { type ThumbnailSettings, thumbnailsTable } from '../../shared/settings/thumbnails.js';
import { fileNameInUrl, isUrl, siblingInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { namedImage, placeholdersIn, thumbnailUrl } from '../../shared/thumbnail-names.js';
import { isObject } from '../../shared/util/is-object.js';

/**
 * The paths of the thumbnails that an output in the folder `cwd` will have, as far as their names are known before the
 * encode; URLs of remote destinations. With an interval these are the paths of as many images as a set can have. Empty
 * for invalid settings, which are reported later with better messages.
 */
export function expectedThumbnails(
  path: string,
  { thumbnails: values = null, thumbnail = null }: Readonly<Record<string, unknown>>,
  cwd: string,
): readonly string[] {
  const given = values ?? thumbnail;
  const parsed = given === null ? {} : parseValue(outputTable.thumbnails, given, 'thumbnails');
  // The parser returns values of the table's types.
  const sets = 'value' in parsed ? (parsed.value as readonly ThumbnailSettings[]) : [];
  const video = { url: isUrl(path) ? path : pathToFileURL(resolve(cwd, path)).href, isHosted: false };
  return sets.flatMap((set) => {
    const used = placeholdersIn(set.filename ?? '');
    if (['width', 'height', 'size'].some((name) => used.includes(name))) return [];
    return Array.from({ length: maxImagesOf(set) }, (_, index) => {
      const url = thumbnailUrl(sets, set, video, namedImage(index, { width: '', height: '' }));
      return url.startsWith('file:') ? pathFrom(url, { path, cwd }) : url;
    });
  });
}

/**
 * The thumbnails that a job wrote, by output, and those whose names were not known before the encode. The record of a
 * job that did not finish has none: then those of the finished outputs that exist are meant. URLs have no passwords.
 */
export function writtenThumbnails(
  job: JobRecord,
  expected: readonly (readonly string[])[],
): { readonly byOutput: readonly (readonly string[])[]; readonly others: readonly string[] } {
  const urls = new Set(job.thumbnails.map(({ url }) => url));
  const toUrl = (path: string) => (isUrl(path) ? withoutPassword(path) : pathToFileURL(path).href);
  const isWritten = (path: string) =>
    job.state === 'finished' ? urls.delete(toUrl(path)) : isUrl(path) || existsSync(path);
  const byOutput = expected.map((paths) =>
    paths.filter(isWritten).map((path) => (isUrl(path) ? withoutPassword(path) : path)),
  );
  return { byOutput, others: [...urls].map((url) => (url.startsWith('file:') ? fileURLToPath(url) : url)) };
}

/** The path in a URL, relative to the working folder if that of the output is. */
function pathFrom(url: string, { path, cwd }: { readonly path: string; readonly cwd: string }): string {
  const absolute = fileURLToPath(url);
  return isUrl(path) || resolve(path) === path ? absolute : relative(cwd, absolute);
}

function maxImagesOf(set: ThumbnailSettings): number {
  const method = methodOf(set);
  if (method === 'times') return set.times?.length ?? 0;
  return method === 'number' ? (set.number ?? thumbnailsTable.number.default) : thumbnailsTable.number.max;
}

/** The extensions of containers with tracks for captions. */
const withTracks = /\.(?:mp4|m4v|mov|mkv|webm)$/i;

/** The files that captions and scores next to an output could replace. */
export async function replaceableSidecars(
  path: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  if (isUrl(path)) return [];
  const log = join(dirname(path), qualityLogName(basename(path)));
  return [...(await replaceableCaptions(path, settings)), ...(settings.quality_log === true ? [log] : [])];
}

/**
 * The files that captions next to an output could replace: `STEM.LANGUAGE.vtt`. The languages are those of the input,
 * so they are not known before the encode. Files that the request itself names as captions are kept by the daemon.
 */
async function replaceableCaptions(
  path: string,
  { subtitles = null, caption_url: files = null }: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const isSidecar = typeof subtitles === 'string' && subtitles.toLowerCase() === 'sidecar';
  if (!isSidecar && (files === null || subtitles !== null || withTracks.test(path))) return [];
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

/** The captions and scores next to an output, as its destination is written: a path or a URL. */
export function writtenSidecars(
  { caption_files: files = [], quality }: JobRecord['output_media_files'][number],
  destination: string,
): readonly string[] {
  const urls = [...files.map(({ url }) => url), quality?.log_url ?? []].flat();
  const names = urls.map(fileNameInUrl);
  return names.map((name) =>
    isUrl(destination) ? siblingInUrl(destination, name) : join(dirname(destination), name),
  );
}
