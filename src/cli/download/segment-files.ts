import { isVencError } from '../../shared/errors.js';
import { decodeUrlPart, pathInUrl, siblingInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { unescapeXml } from '../../shared/to-xml.js';
import { fileNameFromUrl } from '../destinations/output-names.js';
import type { FileToSave } from './download-names.js';

/** Reads a file of the service as text. Rejects with `NotFoundError` if there is none. */
export type ReadText = (url: string) => Promise<string>;

/** What the playlist of keyframes is called, unless the request names it. No other playlist of the output refers to it. */
const keyframeSuffix = '-iframe-index.m3u8';
/** What the manifest of DASH is called that an output has besides its playlist. */
const manifestSuffix = '.mpd';
const playlistPattern = /\.(?:m3u8|mpd)(?=$|[?#])/i;

/** The files that belong next to a playlist, and the folder for it and them. */
export interface SegmentFiles {
  readonly files: readonly FileToSave[];
  /** A folder in the folder of the download; null if they go there directly. */
  readonly folder: string | null;
}

/**
 * The files that belong next to a playlist or manifest: its segments, the playlists that it names with theirs, and its playlist of keyframes
 * and its manifest if they have the default names. They keep their names, because the playlist contains them. If a file
 * of another output has one of the names, all go into a folder named after the playlist. The names are added to `usedNames`.
 */
export async function segmentFiles(
  playlist: Pick<FileToSave, 'url' | 'name'>,
  read: ReadText,
  usedNames: Set<string>,
): Promise<SegmentFiles> {
  const siblings = [keyframeSuffix, manifestSuffix].map((suffix) =>
    playlist.url.replace(playlistPattern, suffix),
  );
  const urls: string[] = [];
  await addFiles(playlist.url, read, urls);
  for (const sibling of siblings) {
    const isNew = sibling !== playlist.url && !urls.includes(sibling);
    if (isNew && (await exists(sibling, read))) urls.push(sibling);
  }
  const files = urls.map((url) => ({ url, name: fileNameFromUrl(url), sizeBytes: null, md5: null }));
  const isTaken = files.some(({ name }) => usedNames.has(name.toLowerCase()));
  const folder = isTaken ? freeFolder(withoutExtension(playlist.name), usedNames) : null;
  if (folder !== null) usedNames.add(folder.toLowerCase());
  else for (const { name } of files) usedNames.add(name.toLowerCase());
  return { files, folder };
}

function freeFolder(stem: string, usedNames: ReadonlySet<string>): string {
  let name = stem;
  for (let number = 2; usedNames.has(name.toLowerCase()); number += 1) name = `${stem}-${number}`;
  return name;
}

/** Adds the files that a playlist names, and those of the playlists among them, in front of it. */
async function addFiles(playlistUrl: string, read: ReadText, urls: string[]): Promise<void> {
  const content = await read(playlistUrl);
  const uris = /\.mpd$/i.test(pathInUrl(playlistUrl)) ? urisInManifest(content) : urisIn(content);
  const named = plainNames(uris).map((uri) => siblingUrl(playlistUrl, uri));
  for (const url of named.filter((one) => !urls.includes(one) && one !== playlistUrl)) {
    if (/\.m3u8$/i.test(pathInUrl(url))) await addFiles(url, read, urls);
    urls.push(url);
  }
}

async function exists(url: string, read: ReadText): Promise<boolean> {
  return read(url).then(
    () => true,
    (error: unknown) => {
      if (isVencError(error, 'NotFoundError')) return false;
      throw error;
    },
  );
}

function siblingUrl(url: string, uri: string): string {
  return siblingInUrl(url, decodeUrlPart(uri));
}

/** The URIs in a playlist. */
function urisIn(playlist: string): readonly string[] {
  return playlist.split(/\r?\n/).flatMap((line) => {
    const [, attribute] = /^#EXT-X-(?:MAP|KEY|MEDIA|I-FRAME-STREAM-INF):.*?URI="([^"]+)"/.exec(line) ?? [];
    if (attribute !== undefined) return [attribute];
    return line === '' || line.startsWith('#') ? [] : [line];
  });
}

/** The URIs in a manifest of DASH: those of whole files, and those of segments, which are numbered. */
function urisInManifest(manifest: string): readonly string[] {
  const templates = manifest.match(/<SegmentTemplate\b.*?<\/SegmentTemplate>/gs) ?? [];
  const files = [...manifest.matchAll(/<BaseURL>([^<]+)<\/BaseURL>/g)].map(([, uri = '']) => uri);
  return [...files, ...templates.flatMap(urisOfTemplate)].map(unescapeXml);
}

/** A guard against manifests that are not those of this service. */
const maxSegments = 1_000_000;

function urisOfTemplate(template: string): readonly string[] {
  const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(template)?.[1] ?? '';
  const repeats = [...template.matchAll(/<S\b[^>]*>/g)].map(
    ([tag]) => Number(/\br="(\d+)"/.exec(tag)?.[1] ?? 0) + 1,
  );
  const count = Math.min(
    maxSegments,
    repeats.reduce((sum, repeat) => sum + repeat, 0),
  );
  const first = Number(attribute('startNumber') || 1);
  const segments = Array.from({ length: count }, (_, index) =>
    attribute('media').replace('$Number%05d$', String(first + index).padStart(5, '0')),
  );
  return [attribute('initialization'), ...segments];
}

/** Each name once. The service is not trusted: only plain names of files next to the playlist count. */
function plainNames(uris: readonly string[]): readonly string[] {
  return [...new Set(uris)].filter(
    (uri) => !/[/\\?#:]/.test(decodeUrlPart(uri)) && !/^\.*$/.test(decodeUrlPart(uri)),
  );
}
