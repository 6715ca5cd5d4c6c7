import { posix } from 'node:path';
import type { JobRecord } from '../../shared/records.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import { fileNameInUrl, withoutExtension } from '../../shared/text/url-text.js';
import {
  extensionFor,
  fileNameFromUrl,
  isHosted,
  nameOutputs,
  outputsIn,
  sanitizeFileName,
  truncateFileName,
} from '../destinations/output-names.js';

/** A file of a job that can be fetched, and what it is to be called. */
export interface FileToSave {
  readonly url: string;
  /** A plain name: no folders, nothing that a terminal or a file system would stumble over. */
  readonly name: string;
  /** Null if the service does not tell. */
  readonly sizeBytes: number | null;
  /** MD5 of its bytes in hexadecimal digits; null if the service does not tell. */
  readonly md5: string | null;
}

/** What a job has to be fetched, and what of it lies elsewhere. */
export interface DownloadableFiles {
  readonly files: readonly FileToSave[];
  /** Outputs that were delivered to a place of the client's own. */
  readonly external: readonly { readonly id: number; readonly url: string }[];
}

/**
 * The finished outputs of a job that lie at an address of the web, and its thumbnails that do, each under the name that its address ends
 * in, or under one made of the input and the label where the service made that name up. The second of two equal names gets `-<id>` in
 * front of its extension; `taken` are the names that others have, in lower case, and gets these. Pure but for that.
 */
export function filesToSave(job: JobRecord, usedNames: Set<string> = new Set()): DownloadableFiles {
  const names = hostedNames(job);
  const finished = job.output_media_files.filter(({ state }) => state === 'finished');
  const outputs = finished.flatMap(({ id, url, file_size_bytes, md5_checksum }) =>
    url === null ? [] : [{ id, url, sizeBytes: file_size_bytes, md5: md5_checksum ?? null }],
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
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** For outputs whose name the service made up: the stem of that name, and the one to have in its place. */
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
      // In the folder of the input it would replace the input.
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
 * Whether a service made the name of a file up. Our daemon then gives the file the name of its folder, so that a client's own name of 32
 * digits is not taken for one; of other services names of 32 hexadecimal digits and UUIDs are.
 */
function hasGeneratedName(url: string): boolean {
  const stem = withoutExtension(fileNameFromUrl(url));
  const token = /\/hosted\/([0-9a-f]{32})\/[^/]+$/.exec(new URL(url).pathname)?.[1];
  if (token !== undefined) return stem === token;
  return /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(stem);
}

/** Names come from a service, which may be anybody's: what leads out of the folder, hides or moves a cursor is taken out. */
function nameOf(url: string, id: number, names: ReadonlyMap<string, string>): string {
  const name = fileNameFromUrl(url);
  if (name === '') return `output-${id}`;
  const base = withoutExtension(name);
  // A thumbnail has the name of its output and a number.
  const [, stem = base, suffix = ''] = /^(.+)(_\d{4})$/.exec(base) ?? [];
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
 * Names that the downloads of a job will have, as far as its request and the name of its input tell: of outputs that go to no place of
 * the client's own. Pure.
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
