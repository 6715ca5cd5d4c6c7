import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AtomicFiles, abandonedFiles, replaceFile } from '../../../src/shared/util/atomic-files.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import { FailingDisk } from '../../helpers/failing-disk.js';
import { tempFolder } from '../../helpers/temp.js';

const test = suite('atomic files');

test('a write leaves the new text, mode 0600 and no temporary file', async () => {
  const folder = tempFolder();
  const path = join(folder, 'file');
  writeFileSync(path, 'old');
  await new AtomicFiles(realDisk).write(path, 'new');
  assert.is(readFileSync(path, 'utf8'), 'new');
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(readdirSync(folder), ['file']);
});

test('a crash of the machine at any step leaves the old text or the new one', async () => {
  const seen = new Set<string>();
  for (let step = 0; ; step += 1) {
    const path = join(tempFolder(), 'file');
    writeFileSync(path, 'the old text, longer than twenty characters');
    const disk = new FailingDisk();
    disk.crashAt(step, 'machine');
    await new AtomicFiles(disk).write(path, 'the new text, longer than twenty characters').catch(() => {});
    const text = readFileSync(path, 'utf8');
    assert.match(text, /^the (old|new) text, longer than twenty characters$/);
    seen.add(text.slice(4, 7));
    if (!disk.hasTriggered) break;
  }
  assert.equal([...seen].sort(), ['new', 'old']);
});

test('a write that fails keeps the old text, removes its temporary file and rejects with the mapped error', async () => {
  const folder = tempFolder();
  const path = join(folder, 'file');
  writeFileSync(path, 'old');
  const disk = new FailingDisk();
  disk.failWithoutSpaceAt(1);
  const files = new AtomicFiles(disk, (error) => new Error('mapped', { cause: error }));
  await files.write(path, 'new').then(
    () => assert.unreachable(),
    (error) => {
      assert.is(error.message, 'mapped');
      assert.is(error.cause.code, 'ENOSPC');
    },
  );
  assert.is(readFileSync(path, 'utf8'), 'old');
  assert.equal(readdirSync(folder), ['file']);
});

test('a folder is created once', async () => {
  const path = join(tempFolder(), 'folder');
  let created = 0;
  const disk: Disk = {
    ...realDisk,
    async makeFolder(folder) {
      created += 1;
      await realDisk.makeFolder(folder);
    },
  };
  const files = new AtomicFiles(disk);
  await files.makeFolder(path);
  await files.makeFolder(path);
  assert.is(created, 1);
  assert.ok(statSync(path).isDirectory());
});

test('replaceFile syncs the folder after the rename', async () => {
  const folder = tempFolder();
  const path = join(folder, 'file');
  const synced: string[] = [];
  await replaceFile(path, (file) => file.write('text'), {
    async syncFolder(name) {
      assert.is(readFileSync(path, 'utf8'), 'text');
      synced.push(name);
    },
  });
  assert.equal(synced, [folder]);
});

test('only temporary files that are a minute old count as abandoned', async () => {
  const folder = tempFolder();
  const old = new Date(Date.now() - 120_000);
  for (const name of ['.tmp-old', '.tmp-new', 'conf.json.tmp-0123456789abcdef', 'kept.json']) {
    writeFileSync(join(folder, name), '');
    if (name !== '.tmp-new') utimesSync(join(folder, name), old, old);
  }
  mkdirSync(join(folder, 'folder'));
  const paths = [...(await abandonedFiles(folder))].sort();
  assert.equal(paths, [join(folder, '.tmp-old'), join(folder, 'conf.json.tmp-0123456789abcdef')]);
});

test.run();
