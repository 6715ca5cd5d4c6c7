import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toWriteError } from '../../../daemon/store/data-folder/disk-errors.js';
import { DurableJsonFile, JsonDocument } from '../../../daemon/store/data-folder/document.js';
import { isVencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { FailingDisk } from '../../helpers/failing-disk.js';
import { tempFolder } from '../../helpers/temp.js';

interface Context {
  folder: string;
  path: string;
  disk: FailingDisk;
  open: (damagedError?: (reason: string) => unknown) => JsonDocument<readonly number[]>;
}

const test = suite<Context>('JSON documents');

test.before.each((context) => {
  context.folder = tempFolder();
  context.path = join(context.folder, 'numbers.json');
  context.disk = new FailingDisk();
  const parse = (value: unknown) => (Array.isArray(value) ? (value as readonly number[]) : null);
  context.open = (damagedError) => {
    const files = new AtomicFiles(context.disk, toWriteError);
    return new JsonDocument(new DurableJsonFile({ path: context.path, parse, files, damagedError }), [0]);
  };
});

test('concurrent changes of one document are made one after the other', async ({ open, path }) => {
  const document = open();
  assert.equal(await document.load(), [0]);
  await Promise.all([1, 2, 3].map((added) => document.update((all) => [...all, added])));
  assert.equal(document.data, [0, 1, 2, 3]);
  assert.is(readFileSync(path, 'utf8'), '[0,1,2,3]');
});

test('a change begins with what another process wrote', async ({ open, path }) => {
  const document = open();
  writeFileSync(path, '[7]');
  await document.update((all) => [...all, 8]);
  assert.equal([document.data, readFileSync(path, 'utf8')], [[7, 8], '[7,8]']);
});

test('a failed write changes neither the file nor the memory', async ({ open, path, disk }) => {
  const document = open();
  await document.update(() => [1]);
  disk.failWithoutSpaceAt(1);
  const error = await document.update(() => [2]).catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'OutOfSpaceError'));
  assert.equal([document.data, readFileSync(path, 'utf8')], [[1], '[1]']);
});

test('a change that returns the same document writes nothing', async ({ open, folder }) => {
  await open().update((all) => all);
  assert.equal(readdirSync(folder), []);
});

test('a damaged file is named and never replaced', async ({ open, path, folder }) => {
  writeFileSync(path, '[1');
  const document = open((reason) => new Error(`${path}: ${reason}`));
  const error = await document.update(() => [2]).catch((caught: unknown) => caught);
  assert.is((error as Error).message, `${path}: it is not complete JSON`);
  assert.equal(
    [document.data, readdirSync(folder), readFileSync(path, 'utf8')],
    [[0], ['numbers.json'], '[1'],
  );
});

test('a damaged file that may count as missing is moved aside by the next write', async ({ open, path }) => {
  writeFileSync(path, '{}');
  const document = open();
  assert.equal(await document.load(), [0]);
  await document.update(() => [2]);
  assert.equal([readFileSync(path, 'utf8'), readFileSync(`${path}.damaged`, 'utf8')], ['[2]', '{}']);
});

test.run();
