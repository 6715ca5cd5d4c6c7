import type { JobRecord } from '../../api/records.js';
import { decoded, withoutExtension } from '../../api/url-text.js';

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

/** Most bytes that a name may have, ".part" and the number of an output taken off. */
const maxNameBytes = 230;

/**
 * The finished outputs of a job that lie at an address of the web, and its thumbnails that do, each under the name that its address ends
 * in; the second of two equal names gets `-<id>` in front of its extension. Pure.
 */
export function filesToSave(job: JobRecord): Fetchable {
  const finished = job.output_media_files.filter(({ state }) => state === 'finished');
  const outputs = finished.flatMap(({ id, url, file_size_bytes, md5_checksum }) =>
    url === null ? [] : [{ id, url, sizeBytes: file_size_bytes, md5: md5_checksum ?? null }],
  );
  const thumbnails = job.thumbnails.map(({ id, url }) => ({ id, url, sizeBytes: null, md5: null }));
  const taken = new Set<string>();
  const files = [...outputs, ...thumbnails]
    .filter(({ url }) => isOfTheWeb(url))
    .map(({ id, ...file }) => {
      const name = freeName(nameIn(file.url, id), id, taken);
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

/** Names come from a service, which may be anybody's: what leads out of the folder, hides or moves a cursor is taken out. */
function nameIn(url: string, id: number): string {
  const last = decoded(new URL(url).pathname.replace(/\/+$/, '').split('/').at(-1) ?? '');
  const plain = last.replace(/[/\\\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '_').trim();
  const name = /^\.+$/.test(plain) || plain === '' ? `output-${id}` : plain.replace(/^[-.]/, '_');
  return shortened(name);
}

function shortened(name: string): string {
  const base = withoutExtension(name);
  const extension = name.slice(base.length);
  let letters = [...base];
  while (letters.length > 1 && Buffer.byteLength(letters.join('') + extension) > maxNameBytes)
    letters = letters.slice(0, -1);
  return letters.join('') + extension;
}

function freeName(name: string, id: number, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  const base = withoutExtension(name);
  return `${base}-${id}${name.slice(base.length)}`;
}
