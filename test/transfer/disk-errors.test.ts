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
  test(`${code} is ${download} in a download and ${upload} in an upload`, () => {
    assert.is(mapDiskError(errno(code), 'download', 'The file').errorClass, download);
    assert.is(mapDiskError(errno(code), 'upload', 'The file').errorClass, upload);
  });
}

test("an error of the daemon's own disk is reported as a full disk or a failure", () => {
  assert.is(mapLocalDiskError(errno('ENOSPC'), 'download').errorClass, 'OutOfSpaceError');
  assert.is(mapLocalDiskError(errno('EACCES'), 'download').errorClass, 'DownloadFailureError');
  assert.is(mapLocalDiskError(errno('ENOENT'), 'upload').errorClass, 'UploadFailureError');
});

test('messages name no path, and a VencError passes unchanged', () => {
  assert.not.match(mapDiskError(errno('EIO'), 'download', 'The file').message, 'secret');
  const ours = new VencError('ForbiddenAddressError', 'no');
  assert.is(mapDiskError(ours, 'download', 'The file'), ours);
  assert.is(mapLocalDiskError(ours, 'download'), ours);
});

test('an error that is not a system error has no code', () => {
  assert.is(systemCode(new Error('x')), null);
  assert.is(systemCode('ENOENT'), null);
});

test.run();
