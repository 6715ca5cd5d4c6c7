import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validateNamePattern, withNames } from '../../../src/cli/destinations/name-pattern.js';

const size = { width: 1280, height: 720 };

const named = (
  pattern: string,
  folder = 's1/e1',
  name = 'films/s1/e1/a.b.mov',
  outputs: readonly object[] = [{}],
) => {
  const found = withNames({ input: 'file:///x', outputs }, pattern, {
    input: { name, folder, error: null },
    sizes: outputs.map(() => size),
  });
  return (found.outputs as readonly { filename?: string }[]).map(({ filename }) => filename);
};

/** A pattern, the folder of the input, and the name. */
const cases: readonly (readonly [string, string, string])[] = [
  ['{dir}/{stem}-{height}p.{ext}', 's1/e1', 's1/e1/a.b-720p.mp4'],
  ['{dir}/{stem}.{ext}', '', 'a.b.mp4'],
  ['{stem}_{width}x{height}.mkv', 's1', 'a.b_1280x720.mkv'],
  ['all//{dir}/./{stem}', 's1', 'all/s1/a.b'],
];
for (const [pattern, folder, expected] of cases)
  test(`${pattern} in ${folder === '' ? 'no folder' : folder} is ${expected}`, () => {
    assert.equal(named(pattern, folder), [expected]);
  });

test('labels and extensions are those of each output, which may have its own name or URL', () => {
  const outputs = [
    { label: '../web', video_codec: 'vp9' },
    { filename: 'own.mp4' },
    { url: 's3://b/x.mp4' },
    { skip_video: true, audio_codec: 'mp3' },
  ];
  assert.equal(named('{stem}{label}.{ext}', '', 'http://h/my%20film.mov', outputs), [
    'my film.._web.webm',
    'own.mp4',
    undefined,
    'my film.mp3',
  ]);
});

for (const [pattern, message] of [
  ['../{stem}.{ext}', /leaves the folder/],
  ['{dir}/../../{stem}.{ext}', /leaves the folder/],
  ['/tmp/{stem}.{ext}', /leaves the folder/],
  ['{dir}/', /names no file/],
  ['{stem}-{heigth}p.{ext}', /\{heigth\}, which is not known/],
  ['{}', /\{\}, which is not known/],
] as const)
  test(`${pattern} is rejected`, () => {
    assert.throws(() => validateNamePattern(pattern, null), message);
  });

test('a name that leaves the folder by the name of its input, and a size without video, are errors', () => {
  assert.throws(() => named('{dir}/../{stem}', ''), /leaves the folder/);
  const input = { name: 'a.mp3', folder: '', error: null };
  assert.throws(
    () => withNames({}, '{stem}-{height}', { input, sizes: [null] }),
    /a\.mp3: the output has no video/,
  );
});

test.run();
