import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { predictDownloadNames } from '../../../src/cli/download/download-names.js';

const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['nothing', {}, []],
  ['no outputs', { input: 'https://h/a/film.mov?x=1' }, ['film.mp4']],
  ['the input itself', { input: 's3://b/film.mp4', outputs: [{}] }, ['film-venc.mp4']],
  [
    'labels and numbers',
    {
      input: 'http://h/film.mov',
      outputs: [{ label: 'a' }, { url: 's3://b/c' }, {}, {}, { skip_video: true }],
    },
    ['film-a.mp4', 'film-3.mp4', 'film-4.mp4', 'film.m4a'],
  ],
  ['a list', { outputs: [{ filename: 'a.mp4' }, {}, { filename: 'b/c.mp4' }] }, ['a.mp4', 'c.mp4']],
  ['one', { output: { filename: 'a.mp4' } }, ['a.mp4']],
  [
    'destinations of the client',
    { outputs: [{ filename: 'a.mp4', base_url: 's3://b/' }, { url: 's3://b/c' }] },
    [],
  ],
  ['nonsense', { outputs: [null, 3, { filename: 4 }] }, []],
];

for (const [what, request, names] of cases) {
  test(`predicted names: ${what}`, () => {
    assert.equal(predictDownloadNames(request as Record<string, unknown>), names);
  });
}

test.run();
