import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';

/** The direction of a transfer, seen from this machine. Selects the error classes `Download...` or `Upload...`. */
export type Direction = 'download' | 'upload';

const outOfSpaceCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const deniedCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);
const missingCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/**
 * Maps a disk error of a file that a URL names to an error of the contract (section 3). `subject` begins the sentence
 * and contains no secret. A `VencError` is returned unchanged.
 */
export function mapDiskError(error: unknown, direction: Direction, subject: string): VencError {
  if (isVencError(error)) return error;
  const code = systemCode(error) ?? 'unknown';
  const [errorClass, reason] = describeDiskError(code, direction);
  return new VencError(errorClass, `${subject} ${reason}.`, { cause: error });
}

/**
 * Maps a disk error of an internal file, such as scratch: a full disk to `OutOfSpaceError`, anything else to a failure.
 */
export function mapLocalDiskError(error: unknown, direction: Direction): VencError {
  if (isVencError(error)) return error;
  const code = systemCode(error) ?? 'unknown';
  if (outOfSpaceCodes.has(code)) return outOfSpaceError(error);
  const errorClass = direction === 'download' ? 'DownloadFailureError' : 'UploadFailureError';
  return new VencError(errorClass, `The disk of the daemon could not be used (${code}).`, { cause: error });
}

/** The error for a full disk of the daemon. */
export function outOfSpaceError(cause?: unknown): VencError {
  return new VencError('OutOfSpaceError', 'There is no space left on the disk of the daemon.', { cause });
}

function describeDiskError(code: string, direction: Direction): readonly [ErrorClass, string] {
  const isDownload = direction === 'download';
  if (outOfSpaceCodes.has(code))
    return ['OutOfSpaceError', 'does not fit: there is no space left on the disk'];
  if (deniedCodes.has(code)) {
    return isDownload
      ? ['DownloadAccessDeniedError', 'may not be read by the daemon']
      : ['UploadAccessDeniedError', 'may not be written by the daemon'];
  }
  if (missingCodes.has(code)) {
    return isDownload
      ? ['FileNotFoundError', 'does not exist']
      : ['UploadFailureError', `cannot be made there (${code})`];
  }
  return isDownload
    ? ['DownloadFailureError', `could not be read (${code})`]
    : ['UploadFailureError', `could not be written (${code})`];
}
