import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openFile } from '../../src/client/open-file.js';
import { isVencError } from '../../src/shared/errors.js';

test('an address of a hosted file that cannot be reached leads to --public-url', async () => {
  const start = { fromByte: 0, version: null };
  const opened = openFile('http://nowhere.invalid:1/hosted/a.mp4', start, AbortSignal.timeout(10_000));
  const error = await opened.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(isVencError(error, 'UnreachableError'));
  assert.match(error.hint ?? '', /gave http:\/\/nowhere\.invalid:1 as its address: check --public-url/);
});

test.run();
