import { homedir, userInfo } from 'node:os';

/**
 * The user's home folder: `HOME`, or, if that is empty or relative and would depend on the current folder,
 * the one that the system knows. `/` if it knows none.
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
