import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  refuseInput,
  refuseUnwritable,
  refuseUnwritableFolder,
} from '../../../src/cli/destinations/check-destinations.js';
import { isVencError } from '../../../src/shared/errors.js';
import { tempFolder } from '../../helpers/temp.js';

async function refusal(input: string, path: string): Promise<unknown> {
  return refuseInput(input, [path]).catch((error: unknown) => error);
}

test('an input is never overwritten, whatever name or link it goes by', async () => {
  const folder = tempFolder();
  const film = join(folder, 'film.mov');
  await writeFile(film, 'film');
  await symlink(film, join(folder, 'link.mov'));
  const url = (name: string) => pathToFileURL(join(folder, name)).href;
  assert.ok(isVencError(await refusal(url('link.mov'), film), 'UsageError'));
  assert.ok(isVencError(await refusal(url('film.mov'), join(folder, 'link.mov')), 'UsageError'));
  assert.is(await refusal(url('film.mov'), join(folder, 'other.mov')), undefined);
  assert.is(await refusal('http://localhost/film.mov', film), undefined);
  assert.is(await refusal(url('missing.mov'), film), undefined);
});

test('what is no file is not replaced by one, and what takes no files is told before', async () => {
  const folder = tempFolder();
  await writeFile(join(folder, 'file'), 'a file');
  const cases = [
    [() => refuseUnwritable([folder]), /cannot be written: it is a folder\./],
    [() => refuseUnwritable(['/dev/null']), /cannot be written: it is no regular file\./],
    [() => refuseUnwritable([join(folder, 'file', 'film.mp4')]), /file is no folder\./],
    [() => refuseUnwritableFolder(join(folder, 'file')), /it is no folder\./],
  ] as const;
  for (const [work, says] of cases) {
    const error = await work().then(
      () => null,
      (one: unknown) => one,
    );
    assert.ok(isVencError(error, 'UsageError'));
    assert.match(error.message, says);
  }
  await refuseUnwritable([join(folder, 'file'), join(folder, 'new', 'film.mp4')]);
  await refuseUnwritableFolder(join(folder, 'new', 'newer'));
});

test.run();
