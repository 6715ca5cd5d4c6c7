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
