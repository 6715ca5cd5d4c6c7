import type { InputMediaFile, JobRecord, OutputMediaFile } from './records.js';
import { withoutPassword } from './redact.js';
import { fileNameInUrl, isUrl, parseUrl, withoutExtension } from './text/url-text.js';

type NamedJob = Pick<JobRecord, 'input_name'> & {
  readonly input_media_file: Pick<InputMediaFile, 'url'>;
  readonly output_media_files: readonly Pick<OutputMediaFile, 'id' | 'label' | 'url'>[];
};

/**
 * The place of the input of a job: the path of an uploaded file, or the URL. Only the name of an uploaded file whose
 * path is unknown, because the rest of its URL is internal. Null if nothing is known.
 */
export function inputLocation({ input_name: name, input_media_file: { url } }: NamedJob): string | null {
  if (name !== undefined && name !== '') return withoutPassword(name);
  if (url === null || url === '') return null;
  return url.startsWith('upload:') ? fileNameInUrl(url) : withoutPassword(url);
}

/** The file name of the input of a job; its whole URL if that has no file name, and null if nothing is known. */
export function inputFileName(job: NamedJob): string | null {
  const location = inputLocation(job);
  if (location === null) return null;
  // A path may contain "?" and "#", and is not percent-encoded.
  const name = isUrl(location) ? fileNameInUrl(location) : location.slice(location.lastIndexOf('/') + 1);
  return name === '' ? location : name;
}

/**
 * The name of each output of a job, by its id: its label, else its file name, else that of the input with the extension
 * of the output, because generated names mean nothing to people. Equal ones of that kind are numbered by the position
 * of the output: `film-2.mp4`. An output of which nothing is known has none.
 */
export function outputLabels(job: NamedJob): ReadonlyMap<number, string> {
  const stem = withoutExtension(inputFileName(job) ?? '');
  const names = job.output_media_files.map(({ label, url }) => {
    if (label !== null && label !== '') return { name: label, isMade: false };
    const name = url === null ? '' : fileNameInUrl(url);
    if (url === null || name === '' || !hasGeneratedName(url)) return { name, isMade: false };
    return { name: stem === '' ? '' : `${stem}${name.slice(withoutExtension(name).length)}`, isMade: true };
  });
  const isRepeated = (name: string) => names.filter((one) => one.name === name).length > 1;
  return new Map(
    names.flatMap(({ name, isMade }, index) => {
      const { id } = job.output_media_files[index] ?? {};
      if (id === undefined || name === '') return [];
      const base = withoutExtension(name);
      return [[id, isMade && isRepeated(name) ? `${base}-${index + 1}${name.slice(base.length)}` : name]];
    }),
  );
}

/**
 * Whether the service generated the name of a file. The daemon gives such a file the name with which its folder begins,
 * so that a chosen name of 32 digits is not mistaken for a generated one. For other services, names of 32 hexadecimal
 * digits and UUIDs count as generated.
 */
export function hasGeneratedName(url: string): boolean {
  const stem = withoutExtension(fileNameInUrl(url));
  const token = /\/hosted\/([0-9a-f]{32})(?:-\d+s)?\/[^/]+$/.exec(parseUrl(url)?.pathname ?? '')?.[1];
  if (token !== undefined) return stem === token;
  return /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(stem);
}
