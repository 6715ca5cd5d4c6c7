import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mapDiskError, mapLocalDiskError } from '../../daemon/transfer/disk-errors.js';
import { VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';

const errno = (code: string) => Object.assign(new Error(`${code}: /secret/path`), { code });

const rows = [
  ['ENOSPC', 'OutOfSpaceError', 'OutOfSpaceError'],
  ['EDQUOT', 'OutOfSpaceError', 'OutOfSpaceError'],
  ['EACCES', 'DownloadAccessDeniedError', 'UploadAccessDeniedError'],
  ['EROFS', 'DownloadAccessDeniedError', 'UploadAccessDeniedError'],
  ['ENOENT', 'FileNotFoundError', 'UploadFailureError'],
  ['EIO', 'DownloadFailureError', 'UploadFailureError'],
] as const;

for (const [code, download, upload] of rows) {
  test(`${code} is ${download} on the way in and ${upload} on the way out`, () => {
    assert.is(mapDiskError(errno(code), 'download', 'The file').errorClass, download);
    assert.is(mapDiskError(errno(code), 'upload', 'The file').errorClass, upload);
  });
}

test("trouble with the daemon's own disk is a full disk or a failure", () => {
  assert.is(mapLocalDiskError(errno('ENOSPC'), 'download').errorClass, 'OutOfSpaceError');
  assert.is(mapLocalDiskError(errno('EACCES'), 'download').errorClass, 'DownloadFailureError');
  assert.is(mapLocalDiskError(errno('ENOENT'), 'upload').errorClass, 'UploadFailureError');
});

test('messages tell no path, and errors of ours pass unchanged', () => {
  assert.not.match(mapDiskError(errno('EIO'), 'download', 'The file').message, 'secret');
  const ours = new VencError('ForbiddenAddressError', 'no');
  assert.is(mapDiskError(ours, 'download', 'The file'), ours);
  assert.is(mapLocalDiskError(ours, 'download'), ours);
});

test('what is no error of the system has no code', () => {
  assert.is(systemCode(new Error('x')), null);
  assert.is(systemCode('ENOENT'), null);
});

test.run();
