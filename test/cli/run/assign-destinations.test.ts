import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assignDestinations } from '../../../src/cli/run/assign-destinations.js';

const input = 'file:///films/film.mov';

const assign = (request: object, files: readonly string[], cwd: string, folder: string | null = null) =>
  assignDestinations({ ...request }, { cwd, files, folder });

/** Request, -o, folder, and the resulting paths. */
const cases: readonly (readonly [string, object, readonly string[], string, readonly string[]])[] = [
  ['the name of the input', { input }, [], '/here', ['film.mp4']],
  ['-venc if that is the input itself', { input: 'file:///here/film.mp4' }, [], '/here', ['film-venc.mp4']],
  [
    'an extension that matches the codec',
    { input, outputs: [{ video_codec: 'VP9' }] },
    [],
    '/here',
    ['film.webm'],
  ],
  [
    'an extension for only audio',
    { input, outputs: [{ skip_video: true, audio_codec: 'mp3' }] },
    [],
    '/',
    ['film.mp3'],
  ],
  [
    'an extension that matches the format',
    {
      input,
      outputs: [
        { format: 'MKV', video_codec: 'hevc' },
        { format: 'ogg', skip_video: true },
      ],
    },
    [],
    '/here',
    ['film.mkv', 'film.ogg'],
  ],
  ['the -o', { input }, ['a/b.mkv'], '/here', ['a/b.mkv']],
  [
    'each -o for its output',
    { input, outputs: [{ width: 2 }, {}] },
    ['a.mp4', 'b.mp4'],
    '/',
    ['a.mp4', 'b.mp4'],
  ],
  [
    'several -o with the same settings',
    { input, outputs: [{ width: 2 }] },
    ['a.mp4', 'b.webm'],
    '/',
    ['a.mp4', 'b.webm'],
  ],
  ['the filename', { input, outputs: [{ filename: 'x.ogv' }] }, [], '/', ['x.ogv']],
  ['the name in a URL', { input: 'https://h/a/my%20film.mov?x=1' }, [], '/', ['my film.mp4']],
  ['no path outside the folder', { input: 'https://h/..%2F..%2Fetc%2Fpasswd.mov' }, [], '/', ['output.mp4']],
  [
    'its label, or its number if two would have one name',
    { input, outputs: [{ label: 'web' }, { width: 2 }, { width: 4 }, { video_codec: 'vp9' }] },
    [],
    '/here',
    ['film-web.mp4', 'film-2.mp4', 'film-3.mp4', 'film.webm'],
  ],
  [
    'its number if another output has that name',
    { input, outputs: [{ filename: 'film.mp4' }, {}] },
    [],
    '/here',
    ['film.mp4', 'film-2.mp4'],
  ],
  ['a label without folders', { input, outputs: [{ label: '../../x' }] }, [], '/here', ['film-.._.._x.mp4']],
  [
    'its filename in the folder of its base_url',
    {
      input,
      outputs: [
        { base_url: 's3://b/c/', filename: 'x/ä.mp4' },
        { base_url: 'file:///d%20e', filename: 'x/y.mp4' },
        { base_url: 'file:///d%20e', filename: 'x/z.mp4' },
      ],
    },
    [],
    '/',
    ['s3://b/c/x/%C3%A4.mp4', '/d e/x/y.mp4', '/d e/x/z.mp4'],
  ],
  ['its own url', { input, outputs: [{ url: 'sftp://h/x.mp4' }] }, [], '/', ['sftp://h/x.mp4']],
];

for (const [what, request, outs, folder, paths] of cases) {
  test(`an output gets ${what}`, () => {
    assert.equal(assign(request, outs, folder).paths, paths);
  });
}

test('every local output gets a file URL, and keeps its settings', () => {
  const request = { input, test: 1, output: { width: 64, filename: 'ä b.mp4' } };
  assert.equal(assign(request, [], '/here').body, {
    input,
    test: 1,
    outputs: [{ width: 64, url: 'file:///here/%C3%A4%20b.mp4' }],
  });
});

test('two outputs never share a file, and every -o needs an output', () => {
  assert.throws(() => assign({ input }, ['a.mp4', './a.mp4'], '/'), /Two outputs would be written to/);
  assert.throws(
    () => assign({ input, outputs: [{}, {}] }, ['a', 'b', 'c'], '/'),
    /-o names 3 files, but there are 2 outputs/,
  );
});

test('one -o never applies to one of several outputs', () => {
  assert.throws(
    () => assign({ input, outputs: [{ width: 2 }, { width: 4 }] }, ['a.mp4'], '/'),
    /-o names 1 file, but there are 2 outputs/,
  );
});

test('a folder receives all outputs, except those with their own URL', () => {
  const outputs = [{ label: 'a' }, { filename: 'b/c.mp4' }, { url: 's3://b/x.mp4' }];
  assert.equal(assign({ input, outputs }, [], '/here', 'out').paths, [
    'out/film-a.mp4',
    'out/b/c.mp4',
    's3://b/x.mp4',
  ]);
  assert.equal(assign({ input: 'file:///here/out/film.mp4' }, [], '/here', 'out/').paths, [
    'out/film-venc.mp4',
  ]);
});

test('a URL in -o is the destination of its output', () => {
  const { body, paths } = assign({ input, outputs: [{ width: 2 }] }, ['sftp://h/x.mp4'], '/');
  assert.equal([body.outputs, paths], [[{ width: 2, url: 'sftp://h/x.mp4' }], ['sftp://h/x.mp4']]);
  const local = assign({ input }, ['file:///there/a%20b.mp4'], '/');
  assert.equal([local.body.outputs, local.paths], [[{ url: 'file:///there/a%20b.mp4' }], ['/there/a b.mp4']]);
});

test('a -o names a file', () => {
  for (const [out, expectedText] of [
    ['', /names no file/],
    ['folder/', /names no file/],
    ['-', /cannot go to stdout/],
    ['file://host/a.mp4', /is not a file on this machine/],
  ] as const) {
    assert.throws(() => assign({ input }, [out], '/'), expectedText);
  }
});

test('outputs of the wrong type are not treated as outputs without settings', () => {
  for (const outputs of ['abc', [1], [[]], [{ filename: 5 }], { url: true }]) {
    assert.throws(
      () => assign({ input, outputs }, [], '/'),
      (error: Error) => /^outputs.* must be /.test(error.message),
      JSON.stringify(outputs),
    );
  }
});

test('notifications are rejected, because no daemon runs to deliver them', () => {
  const url = 'http://example.com/done';
  for (const request of [
    { input, notifications: url },
    { input, outputs: [{}, { notifications: [{ url }] }] },
    { input, output: { notifications: url } },
  ]) {
    assert.throws(() => assign(request, [], '/'), /only a daemon sends them/);
  }
  const empty = { input, notifications: [], outputs: [{ notifications: null }] };
  assert.equal(assign(empty, [], '/').paths, ['film.mp4']);
});

const thumbnailCases: readonly (readonly [unknown, string, readonly string[]])[] = [
  [{}, 'a/film.v1.mp4', ['a/film.v1_0000.png']],
  [[{ number: '2' }], '/x/film.mp4', ['/x/film_0000.png', '/x/film_0001.png']],
  [{ number: 1 }, 'sftp://h/x.mp4', ['sftp://h/x_0000.png']],
  [{ number: 501 }, 'film.mp4', []],
  [null, 'film.mp4', []],
];

for (const [thumbnails, out, paths] of thumbnailCases) {
  test(`thumbnails ${JSON.stringify(thumbnails)} of ${out} are next to it`, () => {
    assert.equal(assign({ input, outputs: [{ thumbnails }] }, [out], '/').thumbnails, [paths]);
  });
}

test.run();
