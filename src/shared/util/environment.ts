import { homedir, userInfo } from 'node:os';

/**
 * The home folder of the user: `HOME`, unless it is empty or relative (and would depend on the current folder);
 * otherwise the one in the user database. `/` if that has none.
 */
export function homeFolder(): string {
  const home = homedir();
  if (home.startsWith('/') || process.platform === 'win32') return home;
  try {
    const { homedir: known } = userInfo();
    return known.startsWith('/') ? known : '/';
  } catch {
    // The user has no entry, as in some containers.
    return '/';
  }
}

/**
 * The variables that programs need: their search paths for programs, libraries and fonts, and the language and time
 * zone of the user.
 */
const names: readonly string[] = [
  ...['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH'],
  ...[
    'FONTCONFIG_FILE',
    'FONTCONFIG_PATH',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_DATA_DIRS',
  ],
];

/**
 * The environment for every child process. ffmpeg and other programs open untrusted files, so none of them gets the
 * keys, tokens and proxy passwords in the environment of a daemon. `additional` are further variables for this
 * program.
 */
export function childEnvironment(
  additional: Readonly<Record<string, string>> = {},
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (names.includes(name) || name.startsWith('LC_')) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...additional };
}
