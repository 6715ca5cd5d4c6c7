import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import { programNamed, type ServerProgramName } from './packages.js';

/** An installed program. */
export interface FoundProgram {
  readonly path: string;
  /** Additional environment: the path of the libraries that were unpacked with it. */
  readonly env: Readonly<Record<string, string>>;
  /** The root of its other files: `/`, or the folder that it was unpacked into (modules: `<root>/usr/lib/...`). */
  readonly root: string;
}

/** Why a program is missing, as a sentence that says how to install it. */
export interface MissingProgram {
  readonly missing: string;
}

/** Folder of unpacked packages that cannot be installed; created by install.ts. */
export const unpackedFolder = fileURLToPath(
  new URL('../../.cache/venc-servers/', import.meta.resolve('uvu')),
);

/** Folders of servers that are often not on a user's PATH. */
const otherFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/lib/openssh', '/usr/libexec'];
const folders = ['usr/sbin', 'usr/bin'];

/** Finds a program on the PATH, in Debian's folders for servers, or among the unpacked packages. */
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

/** Finds several programs. If some are missing, returns their sentences as one. */
export function findPrograms<Name extends ServerProgramName>(
  ...names: readonly Name[]
): Readonly<Record<Name, FoundProgram>> | MissingProgram {
  const found = names.map((name) => [name, findProgram(name)] as const);
  const missing = found.flatMap(([, program]) => ('missing' in program ? [program.missing] : []));
  if (missing.length > 0) return { missing: missing.join('; ') };
  // `names` produced the entries, so every name has one.
  return Object.fromEntries(found) as Record<Name, FoundProgram>;
}

/** Reports a suite as skipped, with the reason. */
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

/** Debian keeps libraries in a folder named after the machine type. */
function librariesOf(root: string): string {
  const lib = join(root, 'usr/lib');
  if (!existsSync(lib)) return lib;
  const own = readdirSync(lib).filter((name) => name.endsWith('-linux-gnu'));
  return [...own.map((name) => join(lib, name)), lib].join(delimiter);
}
