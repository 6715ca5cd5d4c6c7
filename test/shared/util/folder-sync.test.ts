import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FolderSync } from '../../../src/shared/util/atomic-files.js';
import { realDisk } from '../../../src/shared/util/disk.js';

interface Context {
  begun: string[];
  /** Ends the first pending fsync. */
  end: (error?: Error) => void;
  folderSync: FolderSync;
}

const test = suite<Context>('fsync of folders');

test.before.each((context) => {
  const ends: ((error?: Error) => void)[] = [];
  context.begun = [];
  context.end = (error) => ends.shift()?.(error);
  context.folderSync = new FolderSync({
    ...realDisk,
    syncFolder(path) {
      context.begun.push(path);
      return new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
  });
});

test('calls during an fsync share the next one', async ({ begun, end, folderSync }) => {
  const first = folderSync.sync('/a');
  const others = [folderSync.sync('/a'), folderSync.sync('/a'), folderSync.sync('/a')];
  assert.equal(begun, ['/a']);
  end();
  await first;
  await Promise.resolve();
  assert.equal(begun, ['/a', '/a']);
  end();
  await Promise.all(others);
  assert.equal(begun, ['/a', '/a']);
});

test('different folders do not wait for each other', async ({ begun, end, folderSync }) => {
  const both = [folderSync.sync('/a'), folderSync.sync('/b')];
  assert.equal(begun, ['/a', '/b']);
  end();
  end();
  await Promise.all(both);
});

test('an fsync that fails fails only the calls that share it', async ({ begun, end, folderSync }) => {
  const first = folderSync.sync('/a').catch((error: unknown) => error);
  const second = folderSync.sync('/a');
  const error = new Error('no');
  end(error);
  assert.is(await first, error);
  await Promise.resolve();
  end();
  await second;
  const third = folderSync.sync('/a');
  end();
  await third;
  assert.is(begun.length, 3);
});

test.run();
