import { basename, dirname, join, normalize } from 'node:path';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { firstWithLabelOf } from '../../src/shared/settings/thumbnail-rules.js';
import { fileNameInUrl, siblingInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import { namedImage } from '../../src/shared/thumbnail-names.js';
import { isSameFile, placeIdentity } from '../../src/shared/util/disk.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { sourceUrlsOf } from '../jobs/source-urls.js';
import { maxImagesOf, thumbnailDestination, thumbnailSets } from '../jobs/thumbnails.js';
import {
  existingFiles,
  localPath,
  type NamedOutput,
  type WrittenNames,
  writtenNames,
} from '../pipeline/written-files.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';

/**
 * Maximum number of thumbnails of all outputs of a job: each has a name that is compared with those of all other files.
 */
const maxImagesOfJob = 100_000;

/** Stand for the numbers of an image in the name that all images of a set have in common. */
const numberMarks = { number: '\u{e000}', paddedNumber: '\u{e001}' } as const;

/**
 * The destinations of a request: no two files of a job may have the same, because the later one would replace the
 * earlier one.
 */
export class DestinationClaims {
  /** What is written to each destination: an output or a set of thumbnails. */
  readonly #owners = new Map<string, string>();
  /** The outputs whose own file has a name, for the checks of identity. */
  readonly #outputs: (NamedOutput & { readonly path: string; readonly field: string })[] = [];
  /** The path of the setting that names the file of each output, by the path of the output. */
  readonly #fields = new Map<string, string>();
  /** The number of images that the sets of thumbnails have at most. */
  #imageCount = 0;

  /**
   * Claims the destinations of the file of an output. `field` is the path of the setting that names the first one.
   * Returns a validation error for each that is taken.
   */
  claimFile(
    settings: OutputSettings,
    destinations: OutputDestinations,
    { path, field }: { readonly path: string; readonly field: string },
  ): readonly string[] {
    const { destination, secondary } = destinations;
    this.#fields.set(path, field);
    this.#outputs.push({ settings, ...destinations, path, field });
    const errors = this.#claimFileAt(destination, path, field);
    if (secondary === undefined) return errors;
    const secondaryField = `${path}.secondary_url`;
    return destinationKey(secondary.destination) === destinationKey(destination)
      ? [...errors, `${secondaryField} must not be the same as url`]
      : [...errors, ...this.#claimFileAt(secondary.destination, path, secondaryField)];
  }

  #claimFileAt(destination: string, path: string, field: string): readonly string[] {
    const owner = this.#claim(destination, path);
    return owner === null ? [] : [`${field} would write the same file as ${owner}`];
  }

  /**
   * Claims the destinations of files that belong next to that of an output. Of files whose number is not known, one
   * name stands for all. `what` is what they are. Returns a validation error if one is taken. The file of the output
   * must have been claimed.
   */
  claimParts(
    names: readonly string[],
    { destination, secondary }: OutputDestinations,
    {
      path,
      what,
    }: { readonly path: string; readonly what: 'segments' | 'captions' | 'manifest' | 'quality log' },
  ): readonly string[] {
    const places = [destination, ...(secondary === undefined ? [] : [secondary.destination])];
    const taken = places.flatMap((place) =>
      names.flatMap((name) => {
        const owner = this.#claim(siblingInUrl(place, name), `the ${what} of ${path}`);
        return owner === null ? [] : [{ name, owner }];
      }),
    );
    const first = taken.find(({ name }) => !name.includes('*')) ?? taken[0];
    if (first === undefined) return [];
    const { name, owner } = first;
    // Of the names next to its playlist, a request gives an output only this one. All others begin with the name of the
    // playlist.
    const named = `${path}.keyframe_manifest_filename`;
    if (owner === path || owner.endsWith(` of ${path}`))
      return [`${named} must not be ${name}, which is another file of the output`];
    const isDerived = name.startsWith(withoutExtension(fileNameInUrl(destination)));
    const field = isDerived ? (this.#fields.get(path) ?? path) : named;
    return [`${field} would write the same files as ${owner}, such as ${name}`];
  }

  /**
   * Claims the destinations of the thumbnails of an output. Returns a validation error for each set of which one is
   * taken.
   */
  claimThumbnails(
    settings: OutputSettings,
    { secondary, ...primary }: OutputDestinations,
    path: string,
  ): readonly string[] {
    const places = [primary, ...(secondary === undefined ? [] : [secondary])];
    const sets = thumbnailSets(settings);
    return sets.flatMap((set, setIndex) => {
      // A label that is used twice is an error by itself.
      if (firstWithLabelOf(sets, setIndex) < setIndex) return [];
      // The sizes of the images are unknown. Sets with the same sizes of the same output write images of one size.
      const before = this.#imageCount;
      this.#imageCount += maxImagesOf(set);
      if (this.#imageCount > maxImagesOfJob) {
        const error = `${path}.thumbnails[${setIndex}] must be omitted: the outputs of a job have at most ${maxImagesOfJob} thumbnails in all`;
        return before > maxImagesOfJob ? [] : [error];
      }
      const { size, width, height, aspect_mode } = set;
      const side = `${path} ${JSON.stringify({ size, width, height, aspect_mode })}`;
      const name = `thumbnails[${setIndex}] of ${path}`;
      // Images with their own base_url go there from both places.
      const owners = (set.base_url === undefined ? places : [primary]).flatMap((place) => {
        const image = { ...numberMarks, width: side, height: side };
        const { destination } = thumbnailDestination({ settings, ...place }, setIndex, image);
        return numberedNames(destinationKey(destination), maxImagesOf(set)).map((key) =>
          this.#claimKey(key, name),
        );
      });
      const owner = owners.find((one) => one !== null && one !== name) ?? null;
      return owner === null ? [] : [`${path}.thumbnails[${setIndex}] would write the same files as ${owner}`];
    });
  }

  /**
   * Returns a validation error for each output that would write over a file of this machine that the job reads, or over
   * the file of another output, under whatever name: a link, or another path to the same folder. `input` is the URL of
   * the input. To be called once all destinations are claimed.
   */
  async findSameFiles(input: string | undefined): Promise<readonly string[]> {
    const sources = [
      ...(input === undefined ? [] : [{ url: input, what: 'the input' }]),
      ...this.#outputs.flatMap(({ settings }) =>
        sourceUrlsOf(settings).map((url) => ({ url, what: readFile })),
      ),
    ];
    const written = this.#outputs.map(({ path, destination }) => ({ url: destination, what: ownFile(path) }));
    const files = (await Promise.all([...sources, ...written].map(localFileAt))).flat();
    if (files.length === 0) return [];
    const byPlace = new Map<string, LocalFile[]>();
    for (const file of files) byPlace.set(file.place, [...(byPlace.get(file.place) ?? []), file]);
    const errors: string[] = [];
    for (const output of this.#outputs) {
      const others = (all: readonly LocalFile[]) => all.filter(({ what }) => what !== ownFile(output.path));
      const error = await sameFileOf(output, async (names, key) => {
        const { only, folder } = names;
        if (only === null) return firstWritten(names, others(files));
        // Two equal destinations are an error already.
        const same = others(byPlace.get(await placeIdentity(join(folder, only))) ?? []);
        return same.find((one) => !one.isWritten || one.key !== key)?.what ?? null;
      });
      if (error !== null) errors.push(error);
    }
    return errors;
  }

  /** Claims a destination; returns its owner if it has one, else null. */
  #claim(destination: string, name: string): string | null {
    return this.#claimKey(destinationKey(destination), name);
  }

  #claimKey(key: string, name: string): string | null {
    const owner = this.#owners.get(key) ?? null;
    if (owner === null) this.#owners.set(key, name);
    return owner;
  }
}

/**
 * A destination in canonical form. A path can be spelled in many ways, and the later output would overwrite
 * the earlier one.
 */
function destinationKey(destination: string): string {
  if (schemeOf(destination) !== 'file') return destination;
  const parsed = parseFileUrl(destination);
  return parsed.ok ? normalize(parsed.path) : destination;
}

/** The names of the images of a set, from the name that they have in common. A URL has its marks percent-encoded. */
function numberedNames(name: string, count: number): readonly string[] {
  const [first = '', ...others] = name.split(/(\u{e000}|%EE%80%80|\u{e001}|%EE%80%81)/u);
  const isPadded = others.map((part) => part.endsWith('\u{e001}') || part.endsWith('%81'));
  return Array.from({ length: count }, (_, index) => {
    const { number, paddedNumber } = namedImage(index, { width: 0, height: 0 });
    // Every other part is a mark.
    return others.reduce(
      (text, part, at) => text + (at % 2 === 1 ? part : isPadded[at] ? paddedNumber : number),
      first,
    );
  });
}

/** What a file besides the input is. */
const readFile = 'a file that the job reads';

function ownFile(path: string): string {
  return `the file of ${path}`;
}

/** A file on this machine that an output must not replace. */
interface LocalFile {
  readonly path: string;
  readonly what: string;
  readonly key: string;
  /** Whether an output writes it. */
  readonly isWritten: boolean;
  readonly place: string;
}

async function localFileAt({ url, what }: { readonly url: string; readonly what: string }) {
  const path = localPath(url);
  if (path === null) return [];
  const isWritten = what.startsWith(ownFile(''));
  return [{ path, what, key: destinationKey(url), isWritten, place: await placeIdentity(path) }];
}

/** The error of an output if `find` finds a file that must stay under its names; null if there is none. */
async function sameFileOf(
  output: NamedOutput & { readonly path: string; readonly field: string },
  find: (names: WrittenNames, key: string) => Promise<string | null>,
): Promise<string | null> {
  const { secondary, destination, url, path, field } = output;
  const places = [
    { place: { destination, url }, name: field },
    ...(secondary === undefined ? [] : [{ place: secondary, name: `${path}.secondary_url` }]),
  ];
  for (const { place, name } of places) {
    for (const names of writtenNames(output, place)) {
      const same = await find(names, destinationKey(place.destination));
      if (same === null) continue;
      const setting = names.setIndex === undefined ? name : `${path}.thumbnails[${names.setIndex}]`;
      return `${setting} would write over ${same}: name another file`;
    }
  }
  return null;
}

/** What the first of these files is that has one of several names of an output; null if none has. */
async function firstWritten(names: WrittenNames, files: readonly LocalFile[]): Promise<string | null> {
  // Captions next to an output get another name than the captions that it is made from.
  const candidates = files.filter(
    ({ what, path }) => names.what !== 'parts' || what !== readFile || !path.endsWith('.vtt'),
  );
  if (candidates.length === 0) return null;
  const existing = await existingFiles(names);
  const folder = await placeIdentity(names.folder);
  for (const { path, what, place } of candidates) {
    if (existing.some(({ file }) => isSameFile(file, place))) return what;
    if (names.includes(basename(path)) && (await placeIdentity(dirname(path))) === folder) return what;
  }
  return null;
}
