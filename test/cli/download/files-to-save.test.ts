import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesToSave } from '../../../src/cli/download/download-names.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';

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
  ['an encoded name', '/a/two%20words%20%C3%BC.mp4?sig=1#x', 'two words ü.mp4'],
  ['a slash in a name', '/a/..%2F..%2Fetc%2Fpasswd', '_._.._etc_passwd'],
  ['a folder above', '/a/%2e%2e', 'output-10'],
  ['a name that moves the cursor', '/a/x%1b%5b2Ay.mp4', 'x_[2Ay.mp4'],
  ['a name that reverses the text direction', '/a/x%E2%80%AE4pm.exe', 'x_4pm.exe'],
  ['a hidden name', '/a/.bashrc', '_bashrc'],
  ['a name like a flag', '/a/-rf.mp4', '_rf.mp4'],
  ['no name', '/', 'output-10'],
];

for (const [what, path, name] of cases) {
  test(`${what} is saved as ${name}`, () => assert.equal(names([`${host}${path}`]), [name]));
}

test('a name is short enough for every file system, and keeps its extension', () => {
  const [name = ''] = names([`${host}/${encodeURIComponent('ü'.repeat(300))}.mp4`]);
  assert.ok(Buffer.byteLength(name) <= 230 && name.endsWith('ü.mp4'), name);
});

const hex = '0123456789abcdef'.repeat(2);
const named = (
  input: string | null,
  files: readonly { url: string; label?: string }[],
  thumbnails: string[] = [],
) =>
  filesToSave(
    normaliseJob({
      id: 7,
      state: 'finished',
      input_media_file: { id: 8, url: input },
      output_media_files: files.map((file, index) => ({ id: 10 + index, state: 'finished', ...file })),
      thumbnails: thumbnails.map((url, index) => ({ id: 20 + index, url })),
    }),
  ).files.map(({ name }) => name);

test('names that a service generated are replaced by those of the input and the label', () => {
  const ours = `${host}/hosted/${hex}/${hex}`;
  const other = `${host}/o/20260101/6d7c1b1e-0b0f-4c55-9d0c-0123456789ab`;
  const files = [{ url: `${ours}.mp4`, label: 'web' }, { url: `${other}.webm?sig=1` }];
  assert.equal(named('upload://t/my%20film.mov', files, [`${ours}_0001.png`]), [
    'my film-web.mp4',
    'my film.webm',
    'my film-web_0001.png',
  ]);
  assert.equal(named(null, [{ url: `${host}/o/${hex}.mp4` }]), ['job-7.mp4']);
  assert.equal(named('s3://b/film.MP4', [{ url: `${ours}.mp4` }]), ['film-venc.mp4']);
  assert.equal(named('http://h/-rf%2F%1b.mov', [{ url: `${ours}.mp4`, label: '../x' }]), ['_rf__-.._x.mp4']);
});

test('a name of 32 digits that a client requested from our daemon is kept', () => {
  const token = hex.replace('0', 'f');
  assert.equal(named('http://h/film.mov', [{ url: `${host}/hosted/${token}/${hex}.mp4` }]), [`${hex}.mp4`]);
});

test('the scores of an output are saved with its name', () => {
  const place = `${host}/hosted/${hex}/${hex}`;
  const output = { id: 2, url: `${place}.mp4`, state: 'finished', label: 'web' };
  const made = normaliseJob({
    id: 1,
    state: 'finished',
    input_media_file: { id: 3, url: 'http://h/film.mov' },
    output_media_files: [{ ...output, quality: { log_url: `${place}.quality.json` } }],
  });
  assert.equal(
    filesToSave(made).files.map(({ name }) => name),
    ['film-web.mp4', 'film-web.quality.json'],
  );
});

test('the second of two equal names gets the number of its output', () => {
  const urls = [`${host}/a/film.mp4`, `${host}/b/film.mp4`, `${host}/c/FILM.mp4`];
  assert.equal(names(urls), ['film.mp4', 'film-11.mp4', 'FILM-12.mp4']);
});

test('thumbnails are fetched too; files delivered elsewhere and failed outputs are not', () => {
  const { files, external: elsewhere } = filesToSave(
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
  assert.equal(filesToSave(failed), { files: [], external: [] });
});

test.run();
