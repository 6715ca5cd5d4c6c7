import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openFile } from '../../client/open-file.js';
import { isLocalUrl, type Target } from '../../client/target.js';
import { isVencError, VencError } from '../../shared/errors.js';
import type { JobRecord } from '../../shared/records.js';
import { isFinal } from '../../shared/states.js';
import { safeText } from '../../shared/text/safe-text.js';
import { decodeUrlPart, pathInUrl, siblingInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { unescapeXml } from '../../shared/to-xml.js';
import { requireAbsent, requireWritable } from '../../shared/util/check-destinations.js';
import { fileNameFromUrl } from '../destinations/output-names.js';
import { provideFolder } from '../input/files.js';
import type { Io } from '../terminal/io.js';
import { openTransferDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { type FileToSave, filesToSave } from './download-names.js';
import { saveFile } from './save-file.js';

/** Options for downloading the files of a job. */
export interface DownloadOptions {
  /** The destination folder; created if it is missing. */
  readonly folder: string;
  /** Whether existing files are overwritten. */
  readonly isForced: boolean;
  readonly mode: ProgressMode;
  readonly signal: AbortSignal;
  /** Names used by files of other jobs of the same command, in lower case; those of this job are added. */
  readonly usedNames?: Set<string>;
}

/**
 * Downloads the finished outputs and thumbnails that the service hosts for a job, each with a progress bar, and prints
 * each path on stdout when the file is complete. Files that are already complete are skipped. Rejects with
 * `ConflictError` if the job has not ended, `NotFoundError` if there is nothing to download, and `UsageError` if a file
 * already exists or cannot be written.
 */
export async function downloadJob(
  job: JobRecord,
  target: Target,
  io: Io,
  options: DownloadOptions,
): Promise<void> {
  const { folder, isForced, mode, signal } = options;
  if (!isFinal(job.state)) {
    throw new VencError('ConflictError', `Job ${job.id} has not ended: it is ${safeText(job.state)}.`, {
      hint: `venc wait ${job.id} && venc download ${job.id}`,
    });
  }
  const usedNames = options.usedNames ?? new Set<string>();
  const { files: mainFiles, external } = filesToSave(job, usedNames);
  for (const { id, url } of external)
    io.writeStderr(`venc: warning: output ${id} is at ${safeText(url)} and is not downloaded\n`);
  if (mainFiles.length === 0) {
    throw new VencError('NotFoundError', `Job ${job.id} has no files to download.`, {
      hint: `venc show ${job.id} shows what happened to it`,
    });
  }
  const readWhole = async (url: string) => {
    const { content } = await openFile(currentUrl(url, target), { fromByte: 0, version: null }, signal);
    return text(content);
  };
  const targetFile: DownloadTarget[] = [];
  for (const file of mainFiles) {
    const parts =
      file.isPlaylist === true ? await segmentFiles(file, readWhole, usedNames) : { files: [], folder: null };
    // The playlist comes last: a complete one has all its segments.
    for (const one of [...parts.files, file])
      targetFile.push({ file: one, path: join(folder, parts.folder ?? '', one.name) });
  }
  const complete = isForced
    ? []
    : await findComplete(targetFile, async ({ url }) => {
        const start = { fromByte: 0, version: null };
        return (await openFile(currentUrl(url, target), start, signal)).content;
      });
  const missing = targetFile.filter((one) => !complete.includes(one));
  const paths = missing.map(({ path }) => path);
  await requireWritable(paths, 'another folder');
  if (!isForced) await requireAbsent(paths, 'another folder');
  for (const one of new Set([folder, ...paths.map((path) => dirname(path))])) await provideFolder(one);
  for (const { path } of complete) io.writeInfo(`venc: ${safeText(path)} already exists and is complete\n`);
  for (const { file, path } of missing) {
    const recordOf = (done: number, total: number | null) => ({ path, done_bytes: done, total_bytes: total });
    const { report, stop } = await openTransferDisplay(io, mode, safeText(file.name), recordOf);
    try {
      await saveFile({ ...file, url: currentUrl(file.url, target) }, path, {
        signal,
        onProgress: (done, total) => report(done, total ?? file.sizeBytes),
      });
    } finally {
      stop();
    }
    await io.writeStdout(`${path}\n`);
  }
}

/** The local daemon may have restarted on another port since it sent the URL. */
function currentUrl(url: string, target: Target): string {
  const { pathname, search } = new URL(url);
  const hasChangedUrl = target.isOwnDaemon === true && isLocalUrl(url) && pathname.startsWith('/hosted/');
  return hasChangedUrl ? new URL(`${pathname}${search}`, target.url).href : url;
}

/** A file of a job and its destination. */
interface DownloadTarget {
  readonly file: FileToSave;
  readonly path: string;
}

/** Reads the current bytes of a file from the service; rejects if that fails. */
type ReadFile = (file: FileToSave) => Promise<AsyncIterable<Buffer>>;

/**
 * The files that already exist with the same content. If the service reports no MD5, as for thumbnails, its file is
 * downloaded and compared.
 */
async function findComplete<Placed extends DownloadTarget>(
  files: readonly Placed[],
  readFile: ReadFile,
): Promise<Placed[]> {
  const complete: Placed[] = [];
  for (const targetFile of files) if (await isComplete(targetFile, readFile)) complete.push(targetFile);
  return complete;
}

async function isComplete({ file, path }: DownloadTarget, readFile: ReadFile): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return false;
  if (file.sizeBytes !== null && file.sizeBytes !== found.size) return false;
  try {
    const expected = file.md5 ?? (await md5Of(await readFile(file)));
    return (await md5Of(createReadStream(path) as AsyncIterable<Buffer>)) === expected;
  } catch {
    return false;
  }
}

async function md5Of(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Reads a file of the service as text. Rejects with `NotFoundError` if there is none. */
type ReadText = (url: string) => Promise<string>;

/**
 * What the playlist of keyframes is called, unless the request names it. No other playlist of the output refers to it.
 */
const keyframeSuffix = '-iframe-index.m3u8';
/** What the manifest of DASH is called that an output has besides its playlist. */
const manifestSuffix = '.mpd';
const playlistPattern = /\.(?:m3u8|mpd)(?=$|[?#])/i;

/** The files that belong next to a playlist, and the folder for it and them. */
interface SegmentFiles {
  readonly files: readonly FileToSave[];
  /** A folder in the folder of the download; null if they go there directly. */
  readonly folder: string | null;
}

/**
 * The files that belong next to a playlist or manifest: its segments, the playlists that it names with theirs, and its
 * playlist of keyframes and its manifest if they have the default names. They keep their names, because the playlist
 * contains them. If a file of another output has one of the names, all go into a folder named after the playlist. The
 * names are added to `usedNames`.
 */
async function segmentFiles(
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
