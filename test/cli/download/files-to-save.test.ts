import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesToSave } from '../../../src/cli/download/files-to-save.js';
import { normaliseJob } from '../../../src/client/normalise.js';

const job = (urls: readonly string[], thumbnails: readonly string[] = []) =>
  normaliseJob({
    id: 1,
    state: 'finished',
    output_media_files: urls.map((url, index) => ({ id: 10 + index, url, state: 'finished' })),
    thumbnails: thumbnails.map((url, index) => ({ id: 20 + index, url })),
  });
const names = (urls: readonly string[], thumbnails?: readonly string[]) =>
  filesToSave(job(urls, thumbnails)).files.map(({ name }) => name);

const host = 'https://example.com';

const cases: readonly (readonly [what: string, path: string, name: string])[] = [
  ['a plain name', '/hosted/token/film.mp4', 'film.mp4'],
  ['a name that is encoded', '/a/two%20words%20%C3%BC.mp4?sig=1#x', 'two words ü.mp4'],
  ['a slash in a name', '/a/..%2F..%2Fetc%2Fpasswd', '_._.._etc_passwd'],
  ['a folder above', '/a/%2e%2e', 'output-10'],
  ['a name that moves the cursor', '/a/x%1b%5b2Ay.mp4', 'x_[2Ay.mp4'],
  ['a name that turns the writing', '/a/x%E2%80%AE4pm.exe', 'x_4pm.exe'],
  ['a hidden name', '/a/.bashrc', '_bashrc'],
  ['a name like a flag', '/a/-rf.mp4', '_rf.mp4'],
  ['no name', '/', 'output-10'],
];

for (const [what, path, name] of cases) {
  test(`${what} is saved as ${name}`, () => assert.equal(names([`${host}${path}`]), [name]));
}

test('a name is short enough for every file system, its extension kept', () => {
  const [name = ''] = names([`${host}/${encodeURIComponent('ü'.repeat(300))}.mp4`]);
  assert.ok(Buffer.byteLength(name) <= 230 && name.endsWith('ü.mp4'), name);
});

test('the second of two equal names gets the number of its output', () => {
  const urls = [`${host}/a/film.mp4`, `${host}/b/film.mp4`, `${host}/c/FILM.mp4`];
  assert.equal(names(urls), ['film.mp4', 'film-11.mp4', 'FILM-12.mp4']);
});

test('thumbnails are fetched too; what was delivered elsewhere is not, and outputs that failed are none', () => {
  const { files, elsewhere } = filesToSave(
    job(['s3://bucket/film.mp4', `${host}/a.mp4`], [`${host}/a_0000.png`, 's3://bucket/b_0000.png']),
  );
  assert.equal(
    files.map(({ name }) => name),
    ['a.mp4', 'a_0000.png'],
  );
  assert.equal(elsewhere, [{ id: 10, url: 's3://bucket/film.mp4' }]);
  const failed = normaliseJob({
    id: 1,
    output_media_files: [{ id: 2, url: `${host}/a.mp4`, state: 'failed' }],
  });
  assert.equal(filesToSave(failed), { files: [], elsewhere: [] });
});

test.run();
