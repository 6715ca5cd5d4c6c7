import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputFolder } from '../../daemon/hosted-files/output-folder.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('folder of kept outputs');
const never = new AbortController().signal;

/** A store with the files of a token `t`, and the folder of the account `a`. */
function setUp(names: readonly string[] = ['film.mp4'], outputs = tempFolder()) {
  const hosted = tempFolder();
  mkdirSync(join(hosted, 't'));
  for (const name of names) writeFileSync(join(hosted, 't', name), `content of ${name}`);
  mkdirSync(join(outputs, 'a'));
  const files = { token: 't', account: 'a', name: 'film.mp4', version: '1' };
  return {
    hosted,
    folder: join(outputs, 'a'),
    part: join(outputs, 'a', '.venc-t.part'),
    marker: join(hosted, '.kept', 't'),
    keep: (version = '1') => new OutputFolder(hosted, outputs).keep({ ...files, version }, never),
    unkept: async () => [...(await new OutputFolder(hosted, outputs).unkept())],
  };
}

test('no file is replaced, and the same files are kept once', async () => {
  const { hosted, folder, keep, unkept } = setUp();
  writeFileSync(join(folder, 'film.mp4'), 'of somebody else');
  assert.equal(await unkept(), ['t']);
  assert.is(await keep(), join(folder, 'film-2.mp4'));
  assert.is(await keep(), null);
  rmSync(join(hosted, 't', 'film.mp4'));
  writeFileSync(join(hosted, 't', 'film.mp4'), 'made again');
  assert.equal(await unkept(), ['t']);
  assert.is(await keep('2'), join(folder, 'film-3.mp4'));
  assert.equal(readdirSync(folder).toSorted(), ['film-2.mp4', 'film-3.mp4', 'film.mp4']);
  assert.is(readFileSync(join(folder, 'film.mp4'), 'utf8'), 'of somebody else');
});

test('what a crash left is continued or made again', async () => {
  // Killed while the files were put together: half a copy.
  const half = setUp();
  mkdirSync(half.part);
  writeFileSync(join(half.part, 'film.mp4'), 'conte');
  assert.is(await half.keep(), join(half.folder, 'film.mp4'));
  assert.is(readFileSync(join(half.folder, 'film.mp4'), 'utf8'), 'content of film.mp4');

  const states: readonly (readonly [string, (at: ReturnType<typeof setUp>) => void])[] = [
    ['prepared', () => undefined],
    ['linked', ({ part, folder }) => linkSync(join(part, 'film.mp4'), join(folder, 'film.mp4'))],
    [
      'renamed',
      ({ part, folder }) => {
        writeFileSync(join(folder, 'film.mp4'), 'content of film.mp4');
        rmSync(join(part, 'film.mp4'));
      },
    ],
    [
      'cleaned up',
      ({ part, folder }) => {
        writeFileSync(join(folder, 'film.mp4'), 'content of film.mp4');
        rmSync(part, { recursive: true });
      },
    ],
  ];
  for (const [name, crash] of states) {
    const at = setUp();
    mkdirSync(at.part);
    writeFileSync(join(at.part, 'film.mp4'), 'content of film.mp4');
    mkdirSync(join(at.hosted, '.kept'));
    writeFileSync(at.marker, 'prepared 1');
    crash(at);
    assert.equal(await at.unkept(), ['t'], name);
    await at.keep();
    assert.equal(readdirSync(at.folder), ['film.mp4'], name);
    assert.is(readFileSync(join(at.folder, 'film.mp4'), 'utf8'), 'content of film.mp4', name);
    assert.is(readFileSync(at.marker, 'utf8'), '1', name);
  }
});

test('several files become a folder, and a folder of somebody else stays', async () => {
  const { folder, keep } = setUp(['film.m3u8', 'film-1.ts']);
  mkdirSync(join(folder, 'film'));
  assert.is(await keep(), join(folder, 'film-2'));
  assert.equal(readdirSync(join(folder, 'film-2')).toSorted(), ['film-1.ts', 'film.m3u8']);
  assert.equal(readdirSync(join(folder, 'film')), []);
});

test('a folder on another volume gets copies', async () => {
  const shared = '/dev/shm';
  if (!existsSync(shared) || statSync(shared).dev === statSync(tempFolder()).dev) {
    return;
  }
  const { folder, hosted, keep } = setUp(['film.m3u8', 'film-1.ts'], tempFolder(shared));
  assert.is(await keep(), join(folder, 'film'));
  assert.is(readFileSync(join(folder, 'film', 'film-1.ts'), 'utf8'), 'content of film-1.ts');
  assert.not.equal(statSync(join(folder, 'film', 'film-1.ts')).dev, statSync(join(hosted, 't')).dev);
  assert.equal(readdirSync(folder), ['film']);
});

test('the marker of files that are gone is removed', async () => {
  const { hosted, marker, keep, unkept } = setUp();
  await keep();
  assert.ok(statSync(marker).isFile());
  rmSync(join(hosted, 't', 'film.mp4'));
  assert.equal(await unkept(), []);
  assert.not(existsSync(marker));
  assert.is(await keep(), null);
});

test.run();
