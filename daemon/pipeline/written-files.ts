import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { fileIdentity } from '../../src/shared/util/disk.js';
import type { OutputDestinations } from '../jobs/draft.js';
import type { JobOutput, OutputDestination } from '../jobs/job.js';
import { maxImagesOf, thumbnailDestination, thumbnailSets } from '../jobs/thumbnails.js';
import { partNamePattern } from '../plan/part-names.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';

/**
 * Names on this machine that the files of an output may have, in one folder. Which of them it uses may depend on the
 * input.
 */
export interface WrittenNames {
  readonly what: 'file' | 'parts' | 'thumbnails';
  /** The index of the set of thumbnails; absent for others. */
  readonly setIndex?: number;
  readonly folder: string;
  /** The only name; null if there are several. */
  readonly only: string | null;
  readonly includes: (name: string) => boolean;
}

/** What decides the names of the files of an output. */
export type NamedOutput = Pick<JobOutput, 'settings'> & OutputDestinations;

/** The path of a `file:` URL; null for others. */
export function localPath(url: string): string | null {
  if (schemeOf(url) !== 'file') return null;
  const parsed = parseFileUrl(url);
  return parsed.ok ? parsed.path : null;
}

/** The names on this machine that an output may write at one of its places. */
export function writtenNames(output: NamedOutput, place: OutputDestination): readonly WrittenNames[] {
  const path = localPath(place.destination);
  return [...(path === null ? [] : namesAt(output, path)), ...thumbnailNames(output, place)];
}

function namesAt({ settings, destination }: NamedOutput, path: string): readonly WrittenNames[] {
  const [folder, only] = [dirname(path), basename(path)];
  // At the secondary URL most files have the names of the first one.
  const patterns = [fileNameInUrl(destination), only].flatMap(
    (name) => partNamePattern(settings, name) ?? [],
  );
  const includes = (name: string) => patterns.some((pattern) => pattern.test(name));
  return [
    { what: 'file', folder, only, includes: (name) => name === only },
    ...(patterns.length === 0 ? [] : [{ what: 'parts', folder, only: null, includes } as const]),
  ];
}

/** Texts that stand for the parts of the name of a thumbnail that are not known before it is taken. */
const unknownParts = {
  number: 'vencNumber0',
  paddedNumber: 'vencPadded0',
  width: 'vencWidth0',
  height: 'vencHeight0',
};

/** A pattern for the addresses of each set of thumbnails of an output. Its groups are the numbers of the image. */
export function thumbnailPatterns(output: NamedOutput, place: OutputDestination): readonly RegExp[] {
  return thumbnailSets(output.settings).map((_, setIndex) =>
    patternOf(thumbnailDestination({ ...output, ...place }, setIndex, unknownParts).destination),
  );
}

function patternOf(text: string): RegExp {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const numbered = literal.replace(/venc(?:Number|Padded)0/g, '(\\d{1,5})');
  return new RegExp(`^${numbered.replace(/venc(?:Width|Height)0/g, '\\d{1,5}')}$`);
}

function thumbnailNames(output: NamedOutput, place: OutputDestination): readonly WrittenNames[] {
  return thumbnailSets(output.settings).flatMap((set, setIndex): readonly WrittenNames[] => {
    const { destination } = thumbnailDestination({ ...output, ...place }, setIndex, unknownParts);
    const path = localPath(destination);
    // A folder whose name has the number or the size of an image is not looked into.
    if (path === null) return [];
    const pattern = patternOf(basename(path));
    const includes = (name: string) => {
      const [match, ...numbers] = pattern.exec(name) ?? [];
      return match !== undefined && numbers.every((number) => Number(number) < maxImagesOf(set));
    };
    return [{ what: 'thumbnails', setIndex, folder: dirname(path), only: null, includes }];
  });
}

/** A file that exists, with its `identityOf`. */
interface ExistingFile {
  readonly name: string;
  readonly file: string;
}

/** The files that exist under some names. */
export async function existingFiles({
  folder,
  only,
  includes,
}: WrittenNames): Promise<readonly ExistingFile[]> {
  const names = only === null ? (await readdir(folder).catch(() => [])).filter(includes) : [only];
  const found = await Promise.all(names.map((name) => fileIdentity(join(folder, name))));
  return names.flatMap((name, index) => {
    const file = found[index] ?? null;
    return file === null ? [] : [{ name, file }];
  });
}
