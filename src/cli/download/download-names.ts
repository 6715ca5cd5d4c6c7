import { posix } from 'node:path';
import { hasGeneratedName } from '../../shared/file-labels.js';
import type { JobRecord } from '../../shared/records.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { sanitizeFileName, truncateFileName } from '../../shared/text/file-names.js';
import { fileNameInUrl, parseUrl, withoutExtension } from '../../shared/text/url-text.js';
import {
  extensionFor,
  fileNameFromUrl,
  isHosted,
  nameOutputs,
  outputsIn,
} from '../destinations/output-names.js';

/** A file of a job to download, and its local name. */
export interface FileToSave {
  readonly url: string;
  /** A plain name without path separators or control characters. */
  readonly name: string;
  /** Null if unknown. */
  readonly sizeBytes: number | null;
  /** MD5 of its bytes in hexadecimal; null if unknown. */
  readonly md5: string | null;
  /** Set if it is the playlist of segments, which belong next to it. */
  readonly isPlaylist?: true;
}

/** The files of a job to download, and outputs that are stored elsewhere. */
interface DownloadableFiles {
  readonly files: readonly FileToSave[];
  /** Outputs that were uploaded to a destination of the client. */
  readonly external: readonly { readonly id: number; readonly url: string }[];
}

/**
 * The finished outputs and thumbnails of a job with an HTTP URL. A file keeps the name in its URL; if the service
 * generated that name, it gets one from the input and the label. The second of two equal names gets `-<id>` before its
 * extension. `usedNames` are the names in use, in lower case; the new names are added to it. Pure otherwise.
 */
export function filesToSave(job: JobRecord, usedNames: Set<string> = new Set()): DownloadableFiles {
  const names = hostedNames(job);
  const finished = job.output_media_files.filter(({ state }) => state === 'finished');
  const outputs = finished.flatMap(
    ({
      id,
      url,
      file_size_bytes,
      md5_checksum,
      segments,
      dash_url: manifest,
      caption_files: captions = [],
      quality,
    }) =>
      url === null
        ? []
        : [
            // The manifest of a segmented output is found with its segments.
            ...(segments === undefined && manifest !== undefined
              ? [{ id, url: manifest, sizeBytes: null, md5: null }]
              : []),
            {
              id,
              url,
              // The size of an output of several files is that of all.
              sizeBytes: segments === undefined && manifest === undefined ? file_size_bytes : null,
              md5: md5_checksum ?? null,
              ...(segments === undefined ? {} : { isPlaylist: true as const }),
            },
            ...[
              ...captions.map((file) => file.url),
              ...(quality?.log_url === undefined ? [] : [quality.log_url]),
            ].map((url) => ({ id, url, sizeBytes: null, md5: null })),
          ],
  );
  const thumbnails = job.thumbnails.map(({ id, url }) => ({ id, url, sizeBytes: null, md5: null }));
  const files = [...outputs, ...thumbnails]
    .filter(({ url }) => isHttpUrl(url))
    .map(({ id, ...file }) => {
      const name = findFreeName(nameOf(file.url, id, names), id, usedNames);
      usedNames.add(name.toLowerCase());
      return { ...file, name };
    });
  return {
    files,
    external: outputs.filter(({ url }) => !isHttpUrl(url)).map(({ id, url }) => ({ id, url })),
  };
}

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && parseUrl(url) !== null;
}

/** The names for outputs with a generated name, by the generated name, both without extension. */
function hostedNames(job: JobRecord): ReadonlyMap<string, string> {
  const hosted = job.output_media_files.map(({ url }) => (url !== null && isHttpUrl(url) ? url : null));
  const isGenerated = hosted.map((url) => url !== null && hasGeneratedName(url));
  const input = fileNameInUrl(job.input_media_file.url ?? '');
  const stem = sanitizeFileName(withoutExtension(input)).replace(/^[-.]/, '_');
  const names = nameOutputs(
    job.output_media_files.map(({ label }, index) => {
      const name = fileNameFromUrl(hosted[index] ?? 'http://h/');
      return isGenerated[index] === true
        ? { label, extension: name.slice(withoutExtension(name).length) }
        : null;
    }),
    {
      stem: stem === '' ? `job-${job.id}` : stem,
      // It would overwrite the input if both are in the same folder.
      reservedName: sanitizeFileName(input),
      usedNames: new Set(
        hosted.flatMap((url, index) =>
          url === null || isGenerated[index] === true ? [] : [fileNameFromUrl(url).toLowerCase()],
        ),
      ),
    },
  );
  return new Map(
    hosted.flatMap((url, index) => {
      const name = names[index] ?? null;
      return url === null || name === null
        ? []
        : [[withoutExtension(fileNameFromUrl(url)), withoutExtension(name)] as const];
    }),
  );
}

/**
 * The local name of a file. The service is not trusted: path separators, leading dots and control characters are
 * removed.
 */
function nameOf(url: string, id: number, names: ReadonlyMap<string, string>): string {
  const name = fileNameFromUrl(url);
  if (name === '') return `output-${id}`;
  const base = withoutExtension(name);
  // The name of a thumbnail is that of its output and a number; that of captions ends in a language, and that of scores
  // in `.quality`.
  const [, stem = base, suffix = ''] = /^(.+?)(_\d{4}|\.[A-Za-z0-9-]+)$/.exec(base) ?? [];
  const exactName = names.get(base);
  const outputName = exactName ?? names.get(stem);
  if (outputName === undefined) return truncateFileName(name.replace(/^[-.]/, '_'));
  return `${outputName}${exactName === undefined ? suffix : ''}${name.slice(base.length)}`;
}

function findFreeName(name: string, id: number, usedNames: ReadonlySet<string>): string {
  if (!usedNames.has(name.toLowerCase())) return name;
  const base = withoutExtension(name);
  return `${base}-${id}${name.slice(base.length)}`;
}

/**
 * The names that the downloads of a job will have, as far as its request and the name of its input determine them.
 * Outputs with a destination of the client are left out. Pure.
 */
export function predictDownloadNames(
  request: RequestFields,
  inputName: string | null = null,
): readonly string[] {
  const given = outputsIn(request);
  const outputs: readonly RequestFields[] = given.length === 0 ? [{}] : given;
  const named = outputs.map((output) =>
    isHosted(output) && typeof output.filename === 'string' ? posix.basename(output.filename) : null,
  );
  const input = inputName ?? (typeof request.input === 'string' ? fileNameInUrl(request.input) : '');
  const stem = withoutExtension(input);
  if (stem === '') return named.flatMap((name) => (name === null ? [] : [name]));
  const made = nameOutputs(
    outputs.map((settings: RequestFields, index) =>
      named[index] === null && isHosted(settings)
        ? {
            label: typeof settings.label === 'string' ? settings.label : null,
            extension: extensionFor(settings),
          }
        : null,
    ),
    {
      stem,
      reservedName: input,
      usedNames: new Set(named.flatMap((name) => (name === null ? [] : [name.toLowerCase()]))),
    },
  );
  return outputs.flatMap((_, index) => named[index] ?? made[index] ?? []);
}
