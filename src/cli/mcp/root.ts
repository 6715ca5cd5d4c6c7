import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { VencError } from '../../shared/errors.js';
import { isObject } from '../../shared/util/is-object.js';
import { systemCode } from '../../shared/util/system-code.js';

/** A folder that all files have to be in. */
export interface Root {
  /** Its real path. */
  readonly folder: string;
  /**
   * The real path of a file, which need not exist. Relative paths begin at the folder; a `file:` URL is a path. Rejects
   * with `UsageError` if it is not in the folder, with all symbolic links resolved.
   */
  resolve(pathOrUrl: string, field: string): Promise<string>;
}

/** Opens a root. Rejects with `UsageError` if it is no folder. */
export async function openRoot(path: string): Promise<Root> {
  const folder = await realpath(path);
  return {
    folder,
    async resolve(pathOrUrl, field) {
      const path = isFileUrl(pathOrUrl) ? pathOfUrl(pathOrUrl, field) : resolve(folder, pathOrUrl);
      if (path.includes('\0')) throw invalid(field, 'must not contain control characters');
      const real = await realPlace(path).catch(() => null);
      if (real === null || !isInside(folder, real))
        throw new VencError('UsageError', `${field} is not in the folder that venc mcp may use.`, {
          hint: `files must be in ${folder}, which --root names, and symbolic links must not leave it`,
        });
      return real;
    },
  };
}

function invalid(field: string, rule: string): VencError {
  return new VencError('UsageError', `${field} ${rule}.`);
}

function isFileUrl(text: string): boolean {
  return /^\s*file:/i.test(text);
}

/** Whether a text is the URL of a file on another machine. */
export function isRemote(text: string): boolean {
  return hasScheme(text) && !isFileUrl(text);
}

/** Whether a text begins with a scheme. */
function hasScheme(text: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]*:/i.test(text);
}

function pathOfUrl(url: string, field: string): string {
  try {
    return fileURLToPath(url.trim());
  } catch (error) {
    throw new VencError('UsageError', `${field} is not a file on this machine.`, { cause: error });
  }
}

/** The real path of a file, or the one that it would have. Rejects for a symbolic link that leads to nothing. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    const isLink = await lstat(path).then(
      () => true,
      () => false,
    );
    if (isLink) throw error;
    return join(await realPlace(dirname(path)), basename(path));
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** Settings whose text, or whose `url`, may be the path of a file: without signs and in lower case. */
const fileSettings = ['watermark', 'watermarks', 'captionurl', 'captionsurl'];

/** Whether a setting may be the path of a file; `isInFile` if it is a field of one that describes a file. */
function mayBePath(name: string, value: unknown, isInFile: boolean): boolean {
  const known = name.replaceAll(/[^a-z]/gi, '').toLowerCase();
  const isWord = typeof value === 'string' && /^(?:keep|drop)$/i.test(value);
  return fileSettings.includes(known) || (isInFile && known === 'url') || (known === 'cover' && !isWord);
}

/** The settings of a request, and the files that they name. */
export interface ConfinedSettings {
  /** Every file is a `file:` URL with its real path. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The paths of the files, by their URLs. */
  readonly files: ReadonlyMap<string, string>;
}

/** Requires that all files which settings name are in the root. Rejects as `Root.resolve`. */
export async function confineSettings(
  settings: Readonly<Record<string, unknown>>,
  root: Root,
): Promise<ConfinedSettings> {
  const files = new Map<string, string>();
  const toUrl = async (text: string, field: string): Promise<string> => {
    const path = await root.resolve(text, field);
    const { href } = pathToFileURL(path);
    files.set(href, path);
    return href;
  };
  const confine = async (value: unknown, field: string, isFile: boolean): Promise<unknown> => {
    if (typeof value === 'string')
      return isFileUrl(value) || (isFile && value !== '' && !hasScheme(value)) ? toUrl(value, field) : value;
    if (Array.isArray(value))
      return Promise.all(value.map((one, index) => confine(one, `${field}[${index}]`, isFile)));
    if (!isObject(value)) return value;
    const entries = await Promise.all(
      Object.entries(value).map(async ([name, one]) => {
        const path = field === '' ? name : `${field}.${name}`;
        return [name, await confine(one, path, mayBePath(name, one, isFile))] as const;
      }),
    );
    return Object.fromEntries(entries);
  };
  const confined = await confine(settings, '', false);
  return { settings: isObject(confined) ? confined : {}, files };
}
