import { VencError } from '../../../src/shared/errors.js';
import { systemCode } from '../../../src/shared/util/system-code.js';

/** Maps the error of a failed write: `OutOfSpaceError` if there was no space, otherwise the error itself. */
export function toWriteError(error: unknown, place = 'data folder'): unknown {
  const code = systemCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new VencError('OutOfSpaceError', `There is no space left on the disk of the ${place}.`, {
    cause: error,
  });
}

const notWritable = 'this user may not write to it';
const noFolder = 'there is a file where a folder should be';

/** Why a folder cannot be used, by system error. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: 'it is on a read-only disk',
  ENOENT: 'no folder can be created there',
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** Maps the error of opening a data folder: `UsageError` if the folder cannot be used. */
export function toOpenError(error: unknown, folder: string): unknown {
  const isDenied = reasons[systemCode(error) ?? ''] === notWritable;
  const hint = `${isDenied ? 'Make it writable, or choose' : 'Choose'} another folder with --data or VENC_DATA.`;
  return toFolderError(toWriteError(error), `data folder ${folder}`, hint);
}

/**
 * Maps the error of reading or writing a folder: `UsageError` if it cannot be used. `place` names it: `data folder
 * /srv/venc`.
 */
export function toFolderError(error: unknown, place: string, hint: string): unknown {
  const reason = reasons[systemCode(error) ?? ''];
  if (reason === undefined) return toWriteError(error, place);
  return new VencError('UsageError', `The ${place} cannot be used: ${reason}.`, { cause: error, hint });
}
