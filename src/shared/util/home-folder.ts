import { homedir, userInfo } from 'node:os';

/**
 * The user's home: `HOME`, or where that is empty or relative, and so would lead into whatever folder a program was started in, the one
 * that the system knows. `/` where it knows none.
 */
export function homeFolder(): string {
  const homeVariable = homedir();
  if (homeVariable.startsWith('/') || process.platform === 'win32') return homeVariable;
  try {
    const { homedir: known } = userInfo();
    return known.startsWith('/') ? known : '/';
  } catch {
    // The user has no entry, as in some containers.
    return '/';
  }
}
