import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diskReason } from '../../../src/shared/util/system-code.js';
import { tempFolder } from '../../helpers/temp.js';

function errorOf(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}

test('system errors are described in words', () => {
  const folder = tempFolder();
  const missing = join(folder, 'missing', 'file');
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'folder'));
  assert.is(
    diskReason(
      errorOf(() => readFileSync(missing)),
      'read',
    ),
    'there is no such file',
  );
  assert.is(
    diskReason(
      errorOf(() => writeFileSync(missing, '')),
      'write',
    ),
    'nothing can be created there',
  );
  assert.is(
    diskReason(
      errorOf(() => readFileSync(join(folder, 'folder'))),
      'read',
    ),
    'it is a folder',
  );
  const below = errorOf(() => readFileSync(join(folder, 'file', 'below')));
  assert.is(diskReason(below, 'read'), 'there is a file where a folder should be');
  const long = errorOf(() => readFileSync(join(folder, 'a'.repeat(300))));
  assert.is(diskReason(long, 'read'), 'its name is too long');
  const denied = Object.assign(new Error('EACCES'), { code: 'EACCES' });
  assert.is(diskReason(denied, 'write'), 'you have no permission to write it');
});

test('other errors are described by their message, without a second full stop', () => {
  assert.is(diskReason(new Error('it is not valid JSON.'), 'read'), 'it is not valid JSON');
  assert.is(diskReason('odd', 'read'), 'odd');
});

test.run();
