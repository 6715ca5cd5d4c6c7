import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../../../src/shared/util/disk.js';
import { tempFolder } from '../../helpers/temp.js';

const test = suite('makeFolder');

function codeOf(path: string): Promise<unknown> {
  return makeFolder(path).then(
    () => null,
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );
}

test('creates missing parents, and returns the first one that was missing', async () => {
  const root = tempFolder();
  assert.is(await makeFolder(join(root, 'a', 'b', 'c'), 0o700), join(root, 'a'));
  for (const path of ['a', 'a/b', 'a/b/c']) assert.is(statSync(join(root, path)).mode & 0o777, 0o700);
  assert.is(await makeFolder(join(root, 'a', 'b', 'd')), join(root, 'a', 'b', 'd'));
  assert.is(await makeFolder(join(root, 'a', 'b')), null);
  assert.is(await makeFolder('/'), null);
});

test('accepts relative paths, links and trailing slashes', async () => {
  const root = tempFolder();
  assert.is(await makeFolder(`${relative('.', root)}/e//f/`), join(root, 'e'));
  symlinkSync(join(root, 'e'), join(root, 'link'));
  assert.is(await makeFolder(join(root, 'link')), null);
  assert.is(await makeFolder(join(root, 'link', 'g')), join(root, 'link', 'g'));
  assert.ok(existsSync(join(root, 'e', 'g')));
});

test('can be called concurrently for one folder', async () => {
  const path = join(tempFolder(), 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
  assert.ok(statSync(path).isDirectory());
});

test('rejects with the error of the file in the way', async () => {
  const root = tempFolder();
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nothing'), join(root, 'dangling'));
  assert.is(await codeOf(join(root, 'file')), 'EEXIST');
  assert.is(await codeOf(join(root, 'file', 'a')), 'ENOTDIR');
  assert.is(await codeOf(join(root, 'dangling')), 'EEXIST');
  if (process.getuid?.() === 0) return;
  mkdirSync(join(root, 'closed'));
  chmodSync(join(root, 'closed'), 0o500);
  assert.is(await codeOf(join(root, 'closed', 'a', 'b')), 'EACCES');
});

// In its own process, because only killing the process would stop an endless call.
test('rejects, and ends, if no folder can be created', () => {
  if (!existsSync('/proc/self')) return;
  const module = new URL('../../../src/shared/util/disk.js', import.meta.url).href;
  const script = `import { makeFolder } from ${JSON.stringify(module)};
    await makeFolder('/proc/venc/a/b').catch((error) => console.log(error.code));`;
  const words = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000 });
  assert.match(stdout, /^(ENOENT|EACCES|EROFS)\n$/);
});

test.run();
