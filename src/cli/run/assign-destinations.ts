import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { VencError } from '../../shared/errors.js';
import { isUrl, parseUrl, replaceExtensionInUrl } from '../../shared/text/url-text.js';
import { extensionFor, hasPlaylist, nameOutputs, stemFromUrl } from '../destinations/output-names.js';
import { expectedThumbnails } from './sidecar-files.js';

type Fields = Readonly<Record<string, unknown>>;

/** A request with a destination for every output, and the paths to print. */
export interface ResolvedRequest {
  readonly body: Fields;
  /** One path for each output, in order; a URL for a remote destination. */
  readonly paths: readonly string[];
  /**
   * The paths of the thumbnails of each output, as far as their names are known before the encode; URLs of remote
   * destinations.
   */
  readonly thumbnails: readonly (readonly string[])[];
}

/** The destinations given on the command line. */
export interface OutputDestinations {
  /** The base folder of relative paths. */
  readonly cwd: string;
  /** The files of `-o`, one for each output; empty if it is absent or names a folder. */
  readonly files: readonly string[];
  /** The folder of `-o`; null if there is none. */
  readonly folder: string | null;
}

/**
 * Assigns a destination to every output of a request: the `-o` at its position, else its `url`, else its `filename`,
 * else the name of the input with the label or number. Without outputs it adds one with default settings. Throws
 * `UsageError` if the number of `-o` differs from that of the outputs, if two outputs have the same file, if a `-o`
 * names no file, or if the request has notifications, unless these are `kept`.
 */
export function assignDestinations(
  request: Fields,
  destinations: OutputDestinations,
  notifications: 'rejected' | 'kept' = 'rejected',
): ResolvedRequest {
  const { cwd, files } = destinations;
  const { output, outputs: outputList, ...others } = request;
  const values = listOf(outputList ?? output);
  if (notifications === 'rejected') for (const fields of [request, ...values]) rejectNotifications(fields);
  // Several -o for one output mean several outputs with the same settings and different extensions.
  const common = values.length === 1 ? (values[0] ?? {}) : {};
  const outputs = values.length <= 1 && files.length > 1 ? files.map(() => common) : values;
  const all = outputs.length === 0 ? [{}] : outputs;
  if (files.length > 0 && files.length !== all.length) {
    throw new VencError(
      'UsageError',
      `-o names ${countOf(files.length, 'file')}, but there are ${all.length} outputs.`,
      { hint: 'give one -o for each --output, in the same order, or one folder: -o out/' },
    );
  }
  const inputPath = localPathOf(request.input);
  const namedPaths = files.map(parseOutputPath);
  const ownDestinations = defaultDestinations(all, request.input, destinations);
  const paths = all.map((settings, index) => {
    const path = namedPaths[index] ?? ownDestinations[index] ?? '';
    if (!hasPlaylist(settings)) return path;
    // The file that is named is the playlist, and the daemon gives it this extension.
    const extension = extensionFor(settings, path);
    return path.toLowerCase().endsWith(extension) ? path : replaceExtensionInUrl(path, extension);
  });
  rejectDuplicates(paths, inputPath, destinations);
  const resolvedOutputs = all.map((settings, index) => {
    const path = paths[index] ?? '';
    const { base_url: _base, filename: _name, ...kept } = settings;
    if (!isUrl(path)) return { ...kept, url: pathToFileURL(resolve(cwd, path)).href };
    return namedPaths[index] === undefined ? settings : { ...kept, url: path };
  });
  const thumbnails = all.map((settings, index) => expectedThumbnails(paths[index] ?? '', settings, cwd));
  return { body: { ...others, outputs: resolvedOutputs }, paths, thumbnails };
}

/** The same request with other paths for its outputs, which `paths` has in their order. */
export function withPaths(
  resolved: ResolvedRequest,
  paths: readonly string[],
  { cwd }: Pick<OutputDestinations, 'cwd'>,
): ResolvedRequest {
  if (paths.every((path, index) => path === resolved.paths[index])) return resolved;
  const outputs = listOf(resolved.body.outputs).map((settings, index) => {
    const path = paths[index] ?? '';
    return isUrl(path) ? settings : { ...settings, url: pathToFileURL(resolve(cwd, path)).href };
  });
  const thumbnails = outputs.map((settings, index) => expectedThumbnails(paths[index] ?? '', settings, cwd));
  return { body: { ...resolved.body, outputs }, paths, thumbnails };
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Rejects notifications, because their retries over days need a daemon. */
function rejectNotifications({ notifications = null }: Fields): void {
  if (notifications === null || (Array.isArray(notifications) && notifications.length === 0)) return;
  throw new VencError('UsageError', 'venc run cannot send notifications; only a daemon sends them.', {
    hint: 'remove notifications, or use venc submit',
  });
}

/** Parses a `-o`: a path, or the URL of a remote destination. */
function parseOutputPath(arg: string): string {
  if (arg === '-') {
    throw new VencError('UsageError', 'An output cannot go to stdout here.', {
      hint: 'venc run IN -o - --format ts does that; for a file named -, write ./-',
    });
  }
  const path = arg.toLowerCase().startsWith('file:') ? pathOf(arg) : arg;
  if (path !== '' && !path.endsWith('/')) return path;
  throw new VencError('UsageError', `-o "${path}" names no file.`, {
    hint: `name the file as well: -o ${path}film.mp4`,
  });
}

/** The destinations of outputs without a file of `-o`: from their settings, else a file named after the input. */
function defaultDestinations(
  outputs: readonly Fields[],
  input: unknown,
  { cwd, folder }: OutputDestinations,
): readonly string[] {
  const inFolder = (name: string) => (folder === null ? name : join(folder, name));
  const ownDestinations = outputs.map(({ url, base_url: baseUrl, filename }) => {
    if (typeof url === 'string') return url.startsWith('file:') ? pathOf(url) : url;
    if (typeof baseUrl === 'string')
      return typeof filename === 'string' ? fileIn(baseUrl, filename) : baseUrl;
    return typeof filename === 'string' ? inFolder(filename) : null;
  });
  const inputPath = localPathOf(input);
  const isInInputFolder = inputPath !== null && dirname(inputPath) === resolve(cwd, folder ?? '.');
  const names = nameOutputs(
    outputs.map((settings, index) =>
      ownDestinations[index] === null
        ? {
            label: typeof settings.label === 'string' ? settings.label : null,
            extension: extensionFor(settings),
          }
        : null,
    ),
    {
      stem: stemOf(input, inputPath),
      reservedName: isInInputFolder ? basename(inputPath) : null,
      usedNames: new Set(
        ownDestinations.flatMap((destination) =>
          destination === null ? [] : [relativeToFolder(folder, destination).toLowerCase()],
        ),
      ),
    },
  );
  return outputs.map((_, index) => ownDestinations[index] ?? inFolder(names[index] ?? ''));
}

/** A file in the folder of a URL: its path, or its URL if it is remote. */
function fileIn(baseUrl: string, filename: string): string {
  const url = `${baseUrl.replace(/\/+$/, '')}/${filename.split('/').map(encodeURIComponent).join('/')}`;
  return url.startsWith('file:') ? pathOf(url) : url;
}

function relativeToFolder(folder: string | null, destination: string): string {
  return folder === null ? destination : relative(folder, destination);
}

function rejectDuplicates(
  paths: readonly string[],
  inputPath: string | null,
  { cwd, folder }: OutputDestinations,
): void {
  const seen = new Set<string>(inputPath === null ? [] : [inputPath]);
  for (const path of paths.filter((one) => !isUrl(one))) {
    const absolutePath = resolve(cwd, path);
    if (seen.has(absolutePath)) {
      const message =
        absolutePath === inputPath
          ? `${path} is the input itself.`
          : `Two outputs would be written to ${path}.`;
      throw new VencError('UsageError', message, {
        hint: folder === null ? 'name another file with -o' : 'name another folder',
      });
    }
    seen.add(absolutePath);
  }
}

/** The local path of an input; null for a remote one. */
export function localPathOf(input: unknown): string | null {
  return typeof input === 'string' && parseUrl(input)?.protocol === 'file:' ? pathOf(input) : null;
}

/** The path in a `file:` URL. Throws `UsageError` for a URL with a host, which names no local file. */
export function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new VencError('UsageError', `${url} is not a file on this machine.`, {
      cause: error,
      hint: 'a URL of a local file begins with file:///',
    });
  }
}

/** The base name of an input without its extension. A remote name cannot lead out of the folder. */
function stemOf(input: unknown, path: string | null): string {
  const stem = path === null ? stemFromUrl(String(input)) : basename(path, extname(path));
  return stem || 'output';
}

function listOf(value: unknown): readonly Fields[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item: unknown, index) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      throw new VencError('UsageError', 'outputs must be an array of objects, or one object.');
    }
    return validateDestination({ ...item }, index);
  });
}

/**
 * Validates the settings that name a destination, and removes empty ones, which count as omitted. The others are
 * removed from the request later, so that nothing else would report them.
 */
function validateDestination(settings: Fields, index: number): Fields {
  const emptyNames: string[] = [];
  for (const name of ['url', 'base_url', 'filename']) {
    const value = settings[name] ?? null;
    if (value === '') emptyNames.push(name);
    else if (value !== null && typeof value !== 'string')
      throw new VencError('UsageError', `outputs[${index}].${name} must be a string.`);
  }
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !emptyNames.includes(name)));
}
