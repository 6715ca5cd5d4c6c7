import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isVencError } from '../../../src/shared/errors.js';
import {
  rejectInputAsOutput,
  requireAbsent,
  requireWritable,
  requireWritableFolder,
} from '../../../src/shared/util/check-destinations.js';
import { tempFolder } from '../../helpers/temp.js';

async function rejection(input: string, path: string): Promise<unknown> {
  return rejectInputAsOutput(input, [path]).catch((error: unknown) => error);
}

test('an input is never overwritten, under any name or link', async () => {
  const folder = tempFolder();
  const film = join(folder, 'film.mov');
  await writeFile(film, 'film');
  await symlink(film, join(folder, 'link.mov'));
  const url = (name: string) => pathToFileURL(join(folder, name)).href;
  assert.ok(isVencError(await rejection(url('link.mov'), film), 'UsageError'));
  assert.ok(isVencError(await rejection(url('film.mov'), join(folder, 'link.mov')), 'UsageError'));
  assert.is(await rejection(url('film.mov'), join(folder, 'other.mov')), undefined);
  assert.is(await rejection('http://localhost/film.mov', film), undefined);
  assert.is(await rejection(url('missing.mov'), film), undefined);
});

test('only a regular file is replaced, and a destination that cannot hold a file is reported before the encode', async () => {
  const folder = tempFolder();
  await writeFile(join(folder, 'file'), 'a file');
  const cases = [
    [() => requireWritable([folder]), /cannot be written: it is a folder\./],
    [() => requireWritable(['/dev/null']), /cannot be written: it is not a regular file\./],
    [() => requireWritable([join(folder, 'file', 'film.mp4')]), /file is not a folder\./],
    [() => requireWritableFolder(join(folder, 'file')), /it is not a folder\./],
  ] as const;
  for (const [work, expectedText] of cases) {
    const error = await work().then(
      () => null,
      (one: unknown) => one,
    );
    assert.ok(isVencError(error, 'UsageError'));
    assert.match(error.message, expectedText);
  }
  await requireWritable([join(folder, 'file'), join(folder, 'new', 'film.mp4')]);
  await requireWritableFolder(join(folder, 'new', 'newer'));
});

test('a link that leads nowhere exists, and is reported before the encode', async () => {
  const folder = tempFolder();
  await symlink(join(folder, 'nowhere', 'film.mp4'), join(folder, 'link.mp4'));
  const error = await requireAbsent([join(folder, 'link.mp4')]).catch((one: unknown) => one);
  assert.ok(isVencError(error, 'UsageError'));
  assert.match(error.message, /link\.mp4 already exists\./);
  await requireAbsent([join(folder, 'other.mp4')]);
});

test.run();
