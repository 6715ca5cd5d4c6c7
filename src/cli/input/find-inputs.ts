import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import { isMediaName, isNeverInput, passedOverText } from '../../shared/settings/input-files.js';
import { compileGlobs } from '../../shared/text/glob.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import type { Io } from '../terminal/io.js';
import { collectValues } from './args.js';
import { invalidNameError, unreadableError } from './files.js';

/** The flags that choose files in folders. */
export interface FolderArgs {
  readonly match?: readonly string[];
  readonly exclude?: readonly string[];
}

/** An input of a command that takes many. */
export interface FoundInput {
  /** What is read, and its name in messages: the argument, or the path of a file in a folder that was named. */
  readonly name: string;
  /** The folder of its outputs, relative to that of all outputs; empty unless it was found in a folder. */
  readonly folder: string;
  /** Why it cannot be read; null if it may be readable. */
  readonly error: VencError | null;
}

/** The inputs of a command. */
export interface FoundInputs {
  readonly inputs: readonly FoundInput[];
  /** Whether an argument is a folder, which makes the command one of several inputs even if it has one file. */
  readonly hasFolder: boolean;
}

/** An input that is no folder. */
export function oneInput(name: string): FoundInputs {
  return { inputs: [{ name, folder: '', error: null }], hasFolder: false };
}

/** Adds `--match` and `--exclude`. */
export function addFolderOptions(command: Command): Command {
  return command
    .option('--match <pattern>', "take only these files of folders: '*.{mov,mkv}'", collectValues)
    .option('--exclude <pattern>', 'leave out these files and folders of folders', collectValues);
}

/**
 * The inputs that arguments name: each argument, and for a folder all media files in it and in its folders, sorted by
 * path. Media is what has the extension of a media file or, with `--match`, what matches. Hidden files, requests,
 * partial files (`.part`) and the files in `outFolder` are no inputs. Folders of links are read once, and a file that
 * links lead to a second time is no second input. Prints how many files were passed over. Rejects with `UsageError` if
 * a pattern is not valid, or has no folder that it applies to, and if a folder is that of the outputs as well.
 */
export async function findInputs(
  args: readonly string[],
  { match, exclude }: FolderArgs,
  { io, outFolder }: { readonly io: Pick<Io, 'writeInfo'>; readonly outFolder: string | null },
): Promise<FoundInputs> {
  const isFolder = await Promise.all(args.map(isFolderName));
  const hasFolder = isFolder.includes(true);
  const named = args.map((name) => ({ name, folder: folderBehindDot(name), error: null }));
  const isMatch = globsOf(match, '--match');
  const isExcluded = globsOf(exclude, '--exclude') ?? (() => false);
  if (!hasFolder) {
    const flag = match !== undefined ? '--match' : exclude !== undefined ? '--exclude' : null;
    if (flag !== null)
      throw new VencError('UsageError', `${flag} chooses files in folders, and no input is a folder.`);
    return { inputs: named, hasFolder: named.some(({ folder }) => folder !== '') };
  }
  const outputs = outFolder === null ? null : await realpath(outFolder).catch(() => null);
  const files = args.filter((arg, index) => isFolder[index] === false && arg !== '-' && !isUrl(arg));
  const seen = new Set(await Promise.all(files.map((file) => realpath(file).catch(() => file))));
  const inputs: FoundInput[] = [];
  for (const [index, arg] of args.entries()) {
    if (isFolder[index] !== true) {
      inputs.push({ name: arg, folder: folderBehindDot(arg), error: null });
      continue;
    }
    const search = new FolderSearch(arg, {
      isInput: (path) => !isNeverInput(path) && (isMatch ?? isMediaName)(path),
      isExcluded,
      outputs,
      seen,
    });
    inputs.push(...(await search.run()));
    const why = isMatch === null ? 'of no known media type' : 'that do not match';
    for (const text of search.passedOverTexts(why)) io.writeInfo(`venc: ${safeText(`${arg}: ${text}`)}\n`);
  }
  return { inputs, hasFolder };
}

/** The folder behind `/./` in a path, which is made again for the outputs, as rsync does; empty without one. */
function folderBehindDot(name: string): string {
  const path = isUrl(name) ? undefined : /^.*?\/\.\/(.+)$/s.exec(name)?.[1];
  return path === undefined ? '' : folderOf(path);
}

/** Arguments that name some of the inputs, and keep the folders of their outputs. */
export function namesInFolders(inputs: readonly FoundInput[], names: readonly string[]): readonly string[] {
  return inputs
    .filter(({ name }) => names.includes(name))
    .map(({ name, folder }) => {
      const path = `${folder}/${basename(name)}`;
      if (folder === '' || name.includes('/./') || !name.endsWith(path)) return name;
      return `${name.slice(0, -path.length) || './'}./${path}`;
    });
}

function isFolderName(arg: string): Promise<boolean> {
  if (arg === '-' || isUrl(arg)) return Promise.resolve(false);
  return stat(arg).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function globsOf(patterns: readonly string[] | undefined, flag: string): ((path: string) => boolean) | null {
  if (patterns === undefined) return null;
  const globs = compileGlobs(patterns);
  if ('matches' in globs) return globs.matches;
  throw new VencError('UsageError', `${flag} "${safeText(globs.invalid)}" is not a valid pattern.`, {
    hint: "for example '*.{mov,mkv}', 'season 1/**' or '[a-f]*'; write \\[ for the character [",
  });
}

/** What a search needs to know. Paths are relative to the folder that is searched, unless they are `real`. */
interface SearchRules {
  readonly isInput: (path: string) => boolean;
  readonly isExcluded: (path: string) => boolean;
  /** The real path of the folder of the outputs; null if there is none. */
  readonly outputs: string | null;
  /** The real paths of all inputs and folders that were found; the search adds its own. */
  readonly seen: Set<string>;
}

/** A folder to read, by its path relative to the searched one, and its real path. */
interface Place {
  readonly path: string;
  readonly real: string;
}

/** The search for the inputs in one folder. */
class FolderSearch {
  readonly #root: string;
  readonly #rules: SearchRules;
  readonly #passedOver: string[] = [];
  /** How many pipes, sockets and devices have the name of an input. */
  #specials = 0;
  readonly #found: { readonly path: string; readonly error: VencError | null }[] = [];
  /** Links are followed at the end, so that a file has the name of its own folder and not that of a link. */
  #links: Place[] = [];
  /** How many files and folders had been found before. */
  #repeats = 0;

  constructor(root: string, rules: SearchRules) {
    this.#root = root;
    this.#rules = rules;
  }

  async run(): Promise<readonly FoundInput[]> {
    const real = await realpath(this.#root);
    if (real === this.#rules.outputs)
      throw new VencError(
        'UsageError',
        `${this.#root} has the inputs, so it cannot have the outputs as well.`,
        {
          hint: 'name another folder for the outputs; it may be in this one',
        },
      );
    await this.#readTree({ path: '', real });
    while (this.#links.length > 0) {
      const links = this.#links.toSorted((one, other) => compare(one.path, other.path));
      this.#links = [];
      for (const link of links) await this.#follow(link, real);
    }
    if (this.#found.length === 0 && this.#repeats === 0) this.#fail('', this.#emptyError());
    return this.#found
      .toSorted((one, other) => compare(one.path, other.path))
      .map(({ path, error }) => ({ name: this.#nameOf(path), folder: folderOf(path), error }));
  }

  /** What is no input, as phrases; `why` describes files. */
  passedOverTexts(why: string): readonly string[] {
    const files = this.#passedOver;
    const repeats = `${countOf(this.#repeats, 'file or folder', 'files or folders')} found a second time`;
    return [
      ...(files.length === 0 ? [] : [`passed over ${passedOverText(files, why)}`]),
      ...(this.#specials === 0
        ? []
        : [`passed over ${countOf(this.#specials, 'pipe, socket or device', 'pipes, sockets or devices')}`]),
      ...(this.#repeats === 0 ? [] : [`passed over ${repeats}, through links or other arguments`]),
    ];
  }

  async #readTree(start: Place): Promise<void> {
    const pending = [start];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (this.#isRepeated(place.real) || place.real === this.#rules.outputs) continue;
      const { path, real } = place;
      try {
        for (const entry of await readdir(real, { withFileTypes: true, encoding: 'buffer' })) {
          const name = entry.name.toString();
          const inner = { path: path === '' ? name : `${path}/${name}`, real: join(real, name) };
          if (name.startsWith('.') || this.#rules.isExcluded(inner.path)) continue;
          if (this.#add(entry, inner)) pending.push(inner);
        }
      } catch (error) {
        this.#fail(path, unreadableError(this.#nameOf(path), error));
      }
    }
  }

  /** Adds a file or a link; returns true for a folder that is to be read. */
  #add(entry: Dirent<Buffer>, place: Place): boolean {
    const isNamed = isUtf8(entry.name);
    if (entry.isDirectory() && isNamed) return true;
    if (entry.isSymbolicLink() && isNamed) this.#links.push(place);
    else if (
      entry.isDirectory() ||
      ((entry.isFile() || entry.isSymbolicLink()) && this.#rules.isInput(place.path))
    )
      this.#addFile(place, isNamed ? null : invalidNameError(this.#nameOf(place.path)));
    else this.#passOver(entry, place.path);
    return false;
  }

  #addFile({ path, real }: Place, error: VencError | null): void {
    if (error !== null) this.#fail(path, error);
    else if (!this.#isRepeated(real)) this.#found.push({ path, error });
  }

  async #follow({ path, real: link }: Place, root: string): Promise<void> {
    const isInput = this.#rules.isInput(path);
    try {
      const real = await realpath(link);
      const target = await stat(real);
      // A link to a folder that has the searched one would add everything else in it.
      if (target.isDirectory() && isInFolder(root, real)) return;
      if (target.isDirectory()) await this.#readTree({ path, real });
      else if (target.isFile() && isInput) this.#addFile({ path, real }, null);
      else this.#passOver(target, path);
    } catch (error) {
      if (isInput) this.#fail(path, unreadableError(this.#nameOf(path), error));
      else this.#passedOver.push(path);
    }
  }

  #passOver(found: Pick<Dirent, 'isFile'>, path: string): void {
    if (!found.isFile() && this.#rules.isInput(path)) this.#specials += 1;
    else this.#passedOver.push(path);
  }

  #fail(path: string, error: VencError): void {
    this.#found.push({ path, error });
  }

  #isRepeated(real: string): boolean {
    const { seen } = this.#rules;
    if (!seen.has(real)) {
      seen.add(real);
      return false;
    }
    this.#repeats += 1;
    return true;
  }

  #nameOf(path: string): string {
    if (path === '') return this.#root;
    const name = join(this.#root, path);
    // A file with the name of stdin.
    return name === '-' ? './-' : name;
  }

  #emptyError(): VencError {
    const hint = this.#passedOver.length === 0 ? {} : { hint: '--match chooses files by their names' };
    return new VencError('UsageError', `${this.#root} has no media files.`, hint);
  }
}

/** Whether a folder is another one, or in it. */
function isInFolder(path: string, folder: string): boolean {
  return path === folder || !/^\.\.(?:\/|$)/.test(relative(folder, path));
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
