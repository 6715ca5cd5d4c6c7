import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import { programNamed, type ServerProgramName } from './packages.js';

/** A program that is here. */
export interface FoundProgram {
  readonly path: string;
  /** What it needs in its environment beside our own: the libraries that were unpacked with it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where its other files lie: `/`, or the folder that it was unpacked into (modules: `<root>/usr/lib/...`). */
  readonly root: string;
}

/** Why a program is not here, as a sentence that says how to get it. */
export interface MissingProgram {
  readonly missing: string;
}

/** Folder that packages are unpacked into which cannot be installed; made by install.ts. */
export const unpackedFolder = fileURLToPath(
  new URL('../../.cache/venc-servers/', import.meta.resolve('uvu')),
);

/** Servers lie where a user's PATH often does not lead. */
const otherFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/lib/openssh', '/usr/libexec'];
const folders = ['usr/sbin', 'usr/bin'];

/** Looks for a program: on the PATH, where Debian puts servers, and among what was unpacked. */
export function findProgram(name: ServerProgramName): FoundProgram | MissingProgram {
  const { package: deb, unpacked } = programNamed(name);
  const path = [...(process.env.PATH ?? '').split(delimiter), ...otherFolders]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
  if (path !== undefined) return { path, env: {}, root: '/' };
  if (unpacked === undefined) return { missing: `${name} is missing: apt-get install ${deb}` };
  const root = join(unpackedFolder, deb);
  const own = folders.map((folder) => join(root, folder, name)).find(isExecutable);
  if (own !== undefined) return { path: own, env: { LD_LIBRARY_PATH: librariesOf(root) }, root };
  return { missing: `${name} is missing: node dist/test/helpers/servers/install.js unpacks ${deb}` };
}

/** Looks for several: all of them, or the sentences of those that are missing as one. */
export function findPrograms<Name extends ServerProgramName>(
  ...names: readonly Name[]
): Readonly<Record<Name, FoundProgram>> | MissingProgram {
  const found = names.map((name) => [name, findProgram(name)] as const);
  const missing = found.flatMap(([, program]) => ('missing' in program ? [program.missing] : []));
  if (missing.length > 0) return { missing: missing.join('; ') };
  // Every name has its entry: it was made from them.
  return Object.fromEntries(found) as Record<Name, FoundProgram>;
}

/** Says in the place of a suite that it was not run, and why. It is counted as skipped. */
export function skipSuite(name: string, { missing }: MissingProgram): void {
  const test = suite(name);
  test.skip(missing, () => undefined);
  test.run();
  console.log(`SKIPPED ${name}: ${missing}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian keeps libraries in a folder named for the machine's kind. */
function librariesOf(root: string): string {
  const lib = join(root, 'usr/lib');
  if (!existsSync(lib)) return lib;
  const own = readdirSync(lib).filter((name) => name.endsWith('-linux-gnu'));
  return [...own.map((name) => join(lib, name)), lib].join(delimiter);
}
