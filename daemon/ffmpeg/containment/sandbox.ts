import { closeSync, existsSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { heldDescriptor } from '../../../src/shared/util/held-files.js';

/**
 * The files that a program may use. All other files of the machine except the system's libraries and fonts are hidden
 * in a sandbox.
 */
export interface ProgramAccess {
  /** The working folder, which is writable; null for none. */
  readonly folder: string | null;
  /** Absolute paths that it may read, in the working folder or elsewhere. */
  readonly inputs: readonly string[];
}

/**
 * The file in a scratch folder that no program may read or write, because it contains URLs with passwords, and the next
 * start of the daemon removes what they name.
 */
export const hiddenFileName = 'deliveries';

/** Folders of libraries, fonts, character sets and time zones. Paths that do not exist are left out. */
const systemPaths = [
  ...['/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libx32', '/usr/local/lib', '/usr/local/lib64'],
  ...['/usr/share/fonts', '/usr/share/fontconfig', '/usr/local/share/fonts', '/usr/share/ffmpeg'],
  ...['/usr/share/zoneinfo', '/usr/share/locale', '/var/cache/fontconfig', '/usr/share/poppler'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/alternatives', '/etc/fonts'],
  ...['/etc/localtime', '/etc/libva.conf', '/nix/store', '/gnu/store'],
  // Encoders read the number of processors here.
  '/sys/devices/system',
];
/** On most systems these are links to folders in `/usr`; they are mounted as folders. */
const rootPaths = ['/lib', '/lib32', '/lib64', '/libx32'];
/** What a script needs in addition: its interpreter and the programs that it calls. */
const scriptPaths = ['/usr', '/bin', '/sbin'];

/** Folders of a user that contain fonts and settings of fonts. */
function userFontPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const home = env.HOME ?? '';
  const inHome = (path: string) => (home.startsWith('/') && home !== '/' ? [join(home, path)] : []);
  const inFolder = (folder: string | undefined, path: string) =>
    folder?.startsWith('/') ? [join(folder, path)] : [];
  return [
    ...inHome('.fonts'),
    ...inHome('.local/share/fonts'),
    ...inHome('.config/fontconfig'),
    ...inHome('.cache/fontconfig'),
    ...inFolder(env.XDG_DATA_HOME, 'fonts'),
    ...inFolder(env.XDG_CONFIG_HOME, 'fontconfig'),
    ...inFolder(env.XDG_CACHE_HOME, 'fontconfig'),
  ];
}

/** Folders and files that the environment of a program names. */
function configuredPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const paths = [
    env.FONTCONFIG_FILE ?? '',
    env.FONTCONFIG_PATH ?? '',
    ...(env.LD_LIBRARY_PATH ?? '').split(delimiter),
  ];
  return paths.filter((path) => path.startsWith('/'));
}

/** Whether a program is a script, from its first bytes. False if it cannot be read. */
function isScript(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(2);
      readSync(file, head, 0, 2, 0);
      return head.toString('latin1') === '#!';
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function readOnly(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => ['--ro-bind-try', path, path]);
}

/** Whether a path is in a folder. */
function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !way.startsWith('/');
}

/** The name of the input of a job in its scratch folder. */
export const inputName = 'input';

/**
 * The numbers of the open files of this process that a program reads through links to them: an input that is read where
 * it is. The program must inherit them under the same numbers.
 */
export function inheritedFiles({ folder, inputs }: ProgramAccess): readonly number[] {
  // The input of the job may be named in a filter, too.
  const paths = folder === null ? inputs : [...inputs, join(folder, inputName)];
  return [...new Set(paths.flatMap((path) => heldDescriptor(path) ?? []))];
}

/** Inputs that are not in the working folder. An open file needs no mount, only a link to its descriptor. */
function outsideArgs(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const descriptor = heldDescriptor(path);
    return descriptor === null ? readOnly([path]) : ['--symlink', `/proc/self/fd/${descriptor}`, path];
  });
}

/**
 * The target of an input in the working folder that is a link: an own file, which `venc run` does not copy. Null for
 * other files.
 */
function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : null;
  } catch {
    return null;
  }
}

/** The working folder is writable; its inputs are not, and the journal of deliveries is empty. */
function folderArgs(folder: string, inputs: readonly string[]): readonly string[] {
  const hidden = join(folder, hiddenFileName);
  return [
    ...['--bind', folder, folder, '--chdir', folder],
    ...readOnly(
      inputs
        .filter((path) => isIn(folder, path) && heldDescriptor(path) === null)
        .map((path) => linkTarget(path) ?? path),
    ),
    ...(existsSync(hidden) ? ['--ro-bind', '/dev/null', hidden] : []),
  ];
}

/**
 * The command line of bubblewrap in front of a program: no network, processes, users and host name of its own, no
 * capabilities, and a file system that contains the program, the system's libraries and fonts, and what `access` names.
 * The program is process 1 and ends with bubblewrap, which ends with its parent.
 */
export function sandboxCommand(
  bwrap: string,
  program: string,
  { folder, inputs }: ProgramAccess,
  { isGroupLeader, env }: { readonly isGroupLeader: boolean; readonly env: NodeJS.ProcessEnv },
): readonly string[] {
  return [
    ...[bwrap, '--unshare-all', '--die-with-parent', '--as-pid-1', '--cap-drop', 'ALL'],
    // A program that was started with its own session and group keeps them, so that a signal to the group reaches all
    // of it.
    ...(isGroupLeader ? [] : ['--new-session']),
    ...readOnly([...systemPaths, ...rootPaths]),
    ...(isScript(program) ? readOnly(scriptPaths) : []),
    ...readOnly([...userFontPaths(env), ...configuredPaths(env)]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--ro-bind', program, program],
    ...outsideArgs(inputs.filter((path) => folder === null || !isIn(folder, path))),
    ...(folder === null ? ['--chdir', '/'] : folderArgs(folder, inputs)),
    // Last, because the folder and the inputs may be in /dev/shm.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--'],
  ];
}
