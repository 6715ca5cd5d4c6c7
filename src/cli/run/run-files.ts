import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { VencError } from '../../shared/errors.js';
import { thumbnailsTable } from '../../shared/settings/thumbnails.js';
import { besideInUrl, isUrl, thumbnailEnding, withoutExtension } from '../../shared/text/url-text.js';
import { extensionFor, namesOfOutputs, stemInUrl } from '../destinations/output-names.js';

type Fields = Readonly<Record<string, unknown>>;

/** A request whose outputs all have a place, and the files they become, as they are told to people. */
export interface PlacedRequest {
  readonly body: Fields;
  /** One for each output, in their order; of one that goes elsewhere its URL. */
  readonly paths: readonly string[];
  /** For each output its thumbnails, beside it. */
  readonly thumbnails: readonly (readonly string[])[];
}

/** Where outputs go, as the command line says it. */
export interface OutputPlaces {
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** The files of `-o`, one for each output; none where it was not given or names a folder. */
  readonly files: readonly string[];
  /** The folder of `-o`; null where there is none. */
  readonly folder: string | null;
}

/**
 * Gives every output of a request a file: that of the `-o` at its place, else its own `url`, else its `filename`,
 * else the name of the input, told apart by label or number. Without outputs there is one, in the size of the input. Throws
 * `UsageError` where there are not as many `-o` as outputs, two outputs for one file, a `-o` that names no file, or, unless
 * these are `kept`, somebody to be told of the end.
 */
export function placeFiles(
  request: Fields,
  places: OutputPlaces,
  notifications: 'refused' | 'kept' = 'refused',
): PlacedRequest {
  const { cwd, files } = places;
  const { output, outputs: several, ...others } = request;
  const given = listOf(several ?? output);
  if (notifications === 'refused') for (const fields of [request, ...given]) refuseNotifications(fields);
  // Several -o for one output: each is an output with the same settings, told apart by its extension.
  const common = given.length === 1 ? (given[0] ?? {}) : {};
  const outputs = given.length <= 1 && files.length > 1 ? files.map(() => common) : given;
  const all = outputs.length === 0 ? [{}] : outputs;
  if (files.length > 0 && files.length !== all.length) {
    throw new VencError(
      'UsageError',
      `-o names ${countOf(files.length, 'file')}, and there are ${all.length} outputs.`,
      { hint: 'give one -o for each --output, in the same order, or one folder: -o out/' },
    );
  }
  const inputPath = localPathOf(request.input);
  const named = files.map(namedPlace);
  const own = ownPlaces(all, request.input, places);
  const paths = all.map((_, index) => named[index] ?? own[index] ?? '');
  refuseDoubles(paths, inputPath, cwd);
  const placed = all.map((settings, index) => {
    const path = paths[index] ?? '';
    const { base_url: _base, filename: _name, ...kept } = settings;
    if (!isUrl(path)) return { ...kept, url: pathToFileURL(resolve(cwd, path)).href };
    return named[index] === undefined ? settings : { ...kept, url: path };
  });
  const thumbnails = all.map((settings, index) => thumbnailsBeside(paths[index] ?? '', settings));
  return { body: { ...others, outputs: placed }, paths, thumbnails };
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A notice is tried again for days, which takes a daemon: nothing is taken here and then forgotten. */
function refuseNotifications({ notifications = null }: Fields): void {
  if (notifications === null || (Array.isArray(notifications) && notifications.length === 0)) return;
  throw new VencError('UsageError', 'Notifications are sent by a daemon, and run works without one.', {
    hint: 'leave notifications out, or hand the request to a daemon with venc submit',
  });
}

/** Where the thumbnails of an output go. None for wrong settings, which are refused later and in better words. */
function thumbnailsBeside(path: string, { thumbnails: given = null }: Fields): readonly string[] {
  const asked: unknown = Array.isArray(given) ? given[0] : given;
  if (typeof asked !== 'object' || asked === null) return [];
  const { min, max, default: usual } = thumbnailsTable.number;
  const count = Number(new Map(Object.entries(asked)).get('number') ?? usual);
  if (!Number.isInteger(count) || count < min || count > max) return [];
  const beside = (ending: string) =>
    isUrl(path)
      ? besideInUrl(path, ending)
      : join(dirname(path), `${withoutExtension(basename(path))}${ending}`);
  return Array.from({ length: count }, (_, index) => beside(thumbnailEnding(index)));
}

/** What a `-o` stands for: a path, or the URL of a place elsewhere. */
function namedPlace(word: string): string {
  if (word === '-') {
    throw new VencError('UsageError', 'An output cannot go to stdout.', {
      hint: 'a file of that name is ./-',
    });
  }
  const path = word.toLowerCase().startsWith('file:') ? pathOf(word) : word;
  if (path !== '' && !path.endsWith('/')) return path;
  throw new VencError('UsageError', `-o "${path}" names no file.`, {
    hint: `name the file as well: -o ${path}film.mp4`,
  });
}

/** Where outputs go that no `-o` names a file for: where their settings say, else to a file named after the input. */
function ownPlaces(
  outputs: readonly Fields[],
  input: unknown,
  { cwd, folder }: OutputPlaces,
): readonly string[] {
  const within = (name: string) => (folder === null ? name : join(folder, name));
  const own = outputs.map(({ url, base_url: baseUrl, filename }) => {
    if (typeof url === 'string') return url.startsWith('file:') ? pathOf(url) : url;
    if (typeof baseUrl === 'string') return baseUrl;
    return typeof filename === 'string' ? within(filename) : null;
  });
  const inputPath = localPathOf(input);
  const isBeside = inputPath !== null && dirname(inputPath) === resolve(cwd, folder ?? '.');
  const names = namesOfOutputs(
    outputs.map((settings, index) =>
      own[index] === null
        ? {
            label: typeof settings.label === 'string' ? settings.label : null,
            extension: extensionFor(settings),
          }
        : null,
    ),
    {
      stem: stemOf(input, inputPath),
      avoided: isBeside ? basename(inputPath) : null,
      taken: new Set(
        own.flatMap((place) => (place === null ? [] : [relativeTo(folder, place).toLowerCase()])),
      ),
    },
  );
  return outputs.map((_, index) => own[index] ?? within(names[index] ?? ''));
}

function relativeTo(folder: string | null, place: string): string {
  return folder === null ? place : relative(folder, place);
}

function refuseDoubles(paths: readonly string[], inputPath: string | null, folder: string): void {
  const seen = new Set<string>(inputPath === null ? [] : [inputPath]);
  for (const path of paths.filter((one) => !isUrl(one))) {
    const full = resolve(folder, path);
    if (seen.has(full)) {
      const message =
        full === inputPath ? `${path} is the input itself.` : `Two outputs would be written to ${path}.`;
      throw new VencError('UsageError', message, { hint: 'name another file with -o' });
    }
    seen.add(full);
  }
}

/** The local path of an input; null for one that lies elsewhere. */
export function localPathOf(input: unknown): string | null {
  return typeof input === 'string' && URL.canParse(input) && new URL(input).protocol === 'file:'
    ? pathOf(input)
    : null;
}

/** The path in a file URL; one with a host names no file of this machine. */
function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new VencError('UsageError', `${url} names no file on this machine.`, {
      cause: error,
      hint: 'such a URL begins with file:///',
    });
  }
}

/** The base name of an input without its extension. A remote one may lend its name, but never a path out of the folder. */
function stemOf(input: unknown, path: string | null): string {
  const stem = path === null ? stemInUrl(String(input)) : basename(path, extname(path));
  return stem || 'output';
}

function listOf(value: unknown): readonly Fields[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item: unknown, index) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      throw new VencError('UsageError', 'outputs must be an array of objects, or one object.');
    }
    return checkedPlace({ ...item }, index);
  });
}

/** What says where an output goes is taken out of the request, so that nobody else would complain of it. */
function checkedPlace(settings: Fields, index: number): Fields {
  for (const name of ['url', 'base_url', 'filename']) {
    const value = settings[name] ?? null;
    if (value === null || (typeof value === 'string' && value !== '')) continue;
    throw new VencError('UsageError', `outputs[${index}].${name} must be a text that is not empty.`);
  }
  return settings;
}
