import type { JobRecord } from '../../shared/records.js';
import { fileNameInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { namesOfOutputs, plainName, plainNameInUrl, shortenedName } from '../destinations/output-names.js';

/** A file of a job that can be fetched, and what it is to be called. */
export interface FileToSave {
  readonly url: string;
  /** A plain name: no folders, nothing that a terminal or a file system would stumble over. */
  readonly name: string;
  /** Null where the service does not tell. */
  readonly sizeBytes: number | null;
  /** MD5 of its bytes in hexadecimal digits; null where the service does not tell. */
  readonly md5: string | null;
}

/** What a job has to be fetched, and what of it lies elsewhere. */
export interface Fetchable {
  readonly files: readonly FileToSave[];
  /** Outputs that were delivered to a place of the client's own. */
  readonly elsewhere: readonly { readonly id: number; readonly url: string }[];
}

/**
 * The finished outputs of a job that lie at an address of the web, and its thumbnails that do, each under the name that its address ends
 * in, or under one made of the input and the label where the service made that name up. The second of two equal names gets `-<id>` in
 * front of its extension; `taken` are the names that others have, in lower case, and gets these. Pure but for that.
 */
export function filesToSave(job: JobRecord, taken: Set<string> = new Set()): Fetchable {
  const names = hostedNames(job);
  const finished = job.output_media_files.filter(({ state }) => state === 'finished');
  const outputs = finished.flatMap(({ id, url, file_size_bytes, md5_checksum }) =>
    url === null ? [] : [{ id, url, sizeBytes: file_size_bytes, md5: md5_checksum ?? null }],
  );
  const thumbnails = job.thumbnails.map(({ id, url }) => ({ id, url, sizeBytes: null, md5: null }));
  const files = [...outputs, ...thumbnails]
    .filter(({ url }) => isOfTheWeb(url))
    .map(({ id, ...file }) => {
      const name = freeName(nameOf(file.url, id, names), id, taken);
      taken.add(name.toLowerCase());
      return { ...file, name };
    });
  return {
    files,
    elsewhere: outputs.filter(({ url }) => !isOfTheWeb(url)).map(({ id, url }) => ({ id, url })),
  };
}

function isOfTheWeb(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** For outputs whose name the service made up: the stem of that name, and the one to have in its place. */
function hostedNames(job: JobRecord): ReadonlyMap<string, string> {
  const hosted = job.output_media_files.map(({ url }) => (url !== null && isOfTheWeb(url) ? url : null));
  const isMadeUp = hosted.map((url) => url !== null && hasMadeUpName(url));
  const input = fileNameInUrl(job.input_media_file.url ?? '');
  const stem = plainName(withoutExtension(input)).replace(/^[-.]/, '_');
  const names = namesOfOutputs(
    job.output_media_files.map(({ label }, index) => {
      const name = plainNameInUrl(hosted[index] ?? 'http://h/');
      return isMadeUp[index] === true
        ? { label, extension: name.slice(withoutExtension(name).length) }
        : null;
    }),
    {
      stem: stem === '' ? `job-${job.id}` : stem,
      // In the folder of the input it would replace the input.
      avoided: plainName(input),
      taken: new Set(
        hosted.flatMap((url, index) =>
          url === null || isMadeUp[index] === true ? [] : [plainNameInUrl(url).toLowerCase()],
        ),
      ),
    },
  );
  return new Map(
    hosted.flatMap((url, index) => {
      const name = names[index] ?? null;
      return url === null || name === null
        ? []
        : [[withoutExtension(plainNameInUrl(url)), withoutExtension(name)] as const];
    }),
  );
}

/**
 * Whether a service made the name of a file up. Our daemon then gives the file the name of its folder, so that a client's own name of 32
 * digits is not taken for one; of other services names of 32 hexadecimal digits and UUIDs are.
 */
function hasMadeUpName(url: string): boolean {
  const stem = withoutExtension(plainNameInUrl(url));
  const token = /\/hosted\/([0-9a-f]{32})\/[^/]+$/.exec(new URL(url).pathname)?.[1];
  if (token !== undefined) return stem === token;
  return /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(stem);
}

/** Names come from a service, which may be anybody's: what leads out of the folder, hides or moves a cursor is taken out. */
function nameOf(url: string, id: number, names: ReadonlyMap<string, string>): string {
  const name = plainNameInUrl(url);
  if (name === '') return `output-${id}`;
  const base = withoutExtension(name);
  // A thumbnail has the name of its output and a number.
  const [, stem = base, ending = ''] = /^(.+)(_\d{4})$/.exec(base) ?? [];
  const whole = names.get(base);
  const given = whole ?? names.get(stem);
  if (given === undefined) return shortenedName(name.replace(/^[-.]/, '_'));
  return `${given}${whole === undefined ? ending : ''}${name.slice(base.length)}`;
}

function freeName(name: string, id: number, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  const base = withoutExtension(name);
  return `${base}-${id}${name.slice(base.length)}`;
}
