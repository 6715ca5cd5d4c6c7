const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'there is a file where a folder should be',
  EEXIST: 'there is a file where a folder should be',
  EROFS: 'it is on a disk that can only be read',
  ENOSPC: 'there is no room left on its disk',
  EDQUOT: 'there is no room left on its disk',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk does not work as it should',
  ELOOP: 'its links lead in a circle',
};

/**
 * Why a file or folder could not be read or written, as the end of a sentence without its full stop: what the system says, in words;
 * else the message of the error. `whoHas` is who works on it, with the verb.
 */
export function diskReason(error: unknown, to: 'read' | 'write', describeOwner = 'you have'): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EACCES' || code === 'EPERM') return `${describeOwner} no permission to ${to} it`;
  if (code === 'ENOENT') return to === 'read' ? 'there is no such file' : 'nothing can be made there';
  return reasons[code] ?? (error instanceof Error ? error.message.replace(/\.$/, '') : String(error));
}
