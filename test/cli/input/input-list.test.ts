import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listText, namedInputs } from '../../../src/cli/input/input-list.js';
import { tempFolder } from '../../helpers/temp.js';

const folder = tempFolder();

async function read(text: string, args: readonly string[] = []): Promise<readonly string[]> {
  const from = join(folder, 'list.txt');
  writeFileSync(from, text);
  return namedInputs(args, { from });
}

test('a list has one name per line, or names that zero bytes separate', async () => {
  assert.equal(await read('a.mov\n\n b c.mov \nd.mov'), ['a.mov', ' b c.mov ', 'd.mov']);
  assert.equal(await read('\uFEFFa.mov\r\nb.mov\r\n', ['first.mov']), ['first.mov', 'a.mov', 'b.mov']);
  assert.equal(await read('a\nb.mov\0c\r.mov\0'), ['a\nb.mov', 'c\r.mov']);
  assert.equal(await namedInputs(['a.mov'], {}), ['a.mov']);
});

test('a list that is written can be read, whatever the names are', async () => {
  for (const names of [['a.mov', '-b.mov', ' c'], ['a\nb', 'c'], ['c\r', 'd'], ['https://h/a?b=c']])
    assert.equal(await read(listText(names)), names);
});

test('a list that cannot be used is an error that names it', async () => {
  const rejected = async (work: () => Promise<unknown>, text: RegExp) => {
    try {
      await work();
    } catch (error) {
      assert.match(String(error), text);
      return;
    }
    assert.unreachable(String(text));
  };
  await rejected(() => read('\n\n'), /list\.txt \(--from\) names no input/);
  await rejected(() => read('a.mov\n-\n'), /Name 2 in .*list\.txt \(--from\) is -/);
  await rejected(() => namedInputs([], { from: '-' }), /--from needs a file/);
  await rejected(
    () => namedInputs([], { from: join(folder, 'nowhere') }),
    /nowhere \(--from\) cannot be read: there is no such file/,
  );
});

test.run();
