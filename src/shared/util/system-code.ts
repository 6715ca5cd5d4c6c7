/** The system error code, such as `ENOENT`; null for errors that have none. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Whether a file could not be written because its disk, or what its user may have of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return /^E(?:NOSPC|DQUOT|FBIG)$/.test(systemCode(error) ?? '');
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'there is a file where a folder should be',
  EEXIST: 'there is a file where a folder should be',
  EROFS: 'it is on a read-only disk',
  ENOSPC: 'there is no space left on its disk',
  EDQUOT: 'there is no space left on its disk',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk reports an input/output error',
  ELOOP: 'its symbolic links form a loop',
};

/**
 * Why a file or folder could not be read or written, as a clause without full stop: a description of the system
 * error, else the message of the error. `whoHas` is the user of the file, with the verb.
 */
export function diskReason(error: unknown, to: 'read' | 'write', whoHas = 'you have'): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EACCES' || code === 'EPERM') return `${whoHas} no permission to ${to} it`;
  if (code === 'ENOENT') return to === 'read' ? 'there is no such file' : 'nothing can be created there';
  return reasons[code] ?? (error instanceof Error ? error.message.replace(/\.$/, '') : String(error));
}
