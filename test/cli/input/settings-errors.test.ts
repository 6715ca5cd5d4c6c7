import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asTyped, type SettingSources } from '../../../src/cli/input/setting-sources.js';
import { media } from '../../helpers/media.js';
import { tempFolder } from '../../helpers/temp.js';
import { runInProcess } from '../run-here.js';

const wrong = ['--speed', '9', '--quality', '7', '--start-clip', 'x'];
const named = [
  'venc: --speed must be a whole number from 1 to 5, not "9"',
  'venc: --quality must be a whole number from 1 to 5, not "7"',
  'venc: --start-clip must be a time as HH:MM:SS.S or in seconds, at least 0 and below 100 hours, not "x"',
];

async function errorsOf(words: readonly string[], stdin = ''): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runInProcess(words, { stdin });
  assert.equal([code, stdout], [2, ''], stderr);
  return stderr.trimEnd().split('\n');
}

test('errors name the typed flags, all at once, each once', async () => {
  const film = await media('clip.mp4');
  for (const command of ['run', 'plan', 'submit']) {
    assert.equal(await errorsOf([command, film, ...wrong]), named, command);
  }
  const outputs = ['-o', 'a.mp4', '--output', 'width=64', '-o', 'b.mp4', '--output', 'width=32'];
  assert.equal(await errorsOf(['plan', film, '--speed', '9', ...outputs]), named.slice(0, 1));
});

test('a setting with a digit in its name is named, too', async () => {
  const levels =
    'must be one of 1, 1b, 1.1, 1.2, 1.3, 2, 2.1, 2.2, 3, 3.1, 3.2, 4, 4.1, 4.2, 5, 5.1, 5.2, 6, 6.1, 6.2';
  for (const [words, name] of [
    [['--h264-level', '99'], '--h264-level'],
    [['--output', 'h264_level=99'], '--output: h264_level'],
  ] as const) {
    assert.equal(await errorsOf(['plan', await media('clip.mp4'), ...words]), [`venc: ${name} ${levels}`]);
  }
});

test('a missing file, unreadable flags and invalid values are all reported', async () => {
  const words = ['none.mov', '--speed', '9', '--thumbnails', 'x', '--output', 'widht=3,hieght=4'];
  for (const command of ['run', 'plan', 'submit']) {
    const errors = await errorsOf([command, ...words]);
    assert.is(errors.length, 5, errors.join('\n'));
    assert.match(errors[0] ?? '', 'none.mov cannot be read');
    assert.match(errors[1] ?? '', '--thumbnails must be a number or name=value');
    assert.match(errors[2] ?? '', '--output has no setting widht; did you mean width?');
    assert.match(errors[3] ?? '', '--output has no setting hieght; did you mean height?');
    assert.is(errors[4], 'venc: --speed must be a whole number from 1 to 5, not "9"');
  }
});

test('errors name the --output by its number, and the request file with the path in it', async () => {
  const request = join(tempFolder(), 'request.json');
  const outputs = [{ speed: 9, filename: 5 }, { quality: 7 }];
  writeFileSync(request, JSON.stringify({ input: 'file:///a.mov', outputs }));
  const words = ['--width', '1', '--output', 'label=a', '--output', 'start_clip=x'];
  const expected = (name: string) => [
    `venc: ${name}: outputs[0].filename must be a string.`,
    `venc: ${name}: outputs[0].speed must be a whole number from 1 to 5`,
    'venc: --width must be a whole number from 2 to 8192 pixels, not "1"',
    `venc: ${name}: outputs[1].quality must be a whole number from 1 to 5`,
    'venc: --output 2: start_clip must be a time as HH:MM:SS.S or in seconds, at least 0 and below 100 hours, not "x"',
  ];
  for (const command of ['run', 'plan']) {
    assert.equal(await errorsOf([command, request, ...words]), expected(request), command);
    const stdin = JSON.stringify({ input: 'file:///a.mov', outputs });
    assert.equal(await errorsOf([command, '-', ...words], stdin), expected('stdin'), command);
  }
});

test('a size such as 720p is answered with its possible meanings', async () => {
  const [error = '', hint] = await errorsOf(['plan', await media('clip.mp4'), '--resolution', '720p']);
  assert.match(error, /^venc: --size must be WIDTHxHEIGHT/);
  assert.is(hint, 'venc: hint: --height 720 for a height of 720 pixels, or --size for a frame to fit into');
});

test('errors of the service name the flag of the field; other messages are unchanged', async () => {
  const errors = [
    'outputs[0].speed must be smaller',
    'outputs[1].speed must be smaller',
    'outputs[1].label must be unique, but outputs[0] has the same label',
    'test must be false',
    'Url is invalid',
    'outputs[0].novel must be left out',
  ];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ errors }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const env = { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
  const flags = ['--speed', '2', '--test', '--output', 'label=a', '--output', 'label=a'];
  const expected = [
    '--speed must be smaller',
    '--output 2: label must be unique, but --output 1 has the same label',
    '--test must be false',
    'Url is invalid',
    'outputs[0].novel must be left out',
  ];
  try {
    const one = await runInProcess(['submit', 'http://h/a.mov', ...flags], { env });
    assert.equal([one.code, one.stderr.trimEnd().split('\n')], [2, expected.map((text) => `venc: ${text}`)]);
    const line = '{"input": "http://h/a.mov"}\n';
    const many = await runInProcess(['submit', '-', '--ndjson', ...flags], { env, stdin: line });
    assert.equal(
      many.stderr.trimEnd().split('\n'),
      expected.map((text) => `venc: line 1: ${text}`),
    );
  } finally {
    server.close();
  }
});

const sources: SettingSources = {
  jobFlags: { test: 1, notifications: ['http://h/a', 'b'] },
  outputFlags: {
    watermark: [{ url: 'a' }, { url: 'b' }],
    thumbnails: { number: 9 },
    video_bitrate: 9,
    onepass: true,
  },
  outputs: [{ bitrate_cap: 3 }],
  ladderPlace: null,
  files: ['a.mp4'],
  request: null,
  preset: null,
};

for (const [text, expected] of [
  ['outputs[0].watermark[1].url must be a URL', '--watermark 2: url must be a URL'],
  ['outputs[0].watermarks[0].x must be pixels', '--watermark 1: x must be pixels'],
  ['outputs[0].thumbnails.number must be', '--thumbnails: number must be'],
  [
    'outputs[0].bitrate_cap must not be below video_bitrate',
    '--output: bitrate_cap must not be below --video-bitrate',
  ],
  ['outputs[0].one_pass must be true or false', '--onepass must be true or false'],
  ['notifications[1] must be a URL', '--notify 2 must be a URL'],
  ['outputs[0].url must have at most 255 bytes', '-o a.mp4 must have at most 255 bytes'],
  [
    'outputs[0].url would write the same file as outputs[1]',
    '-o a.mp4 would write the same file as output 2',
  ],
  ['outputs[1] must be an object', 'output 2 must be an object'],
  ['outputs[0].size must not be given with width', 'outputs[0].size must not be given with width'],
  ['input must be a URL', 'input must be a URL'],
  ['The request must be an object', 'The request must be an object'],
] as const) {
  test(`"${text}" is printed as "${expected}"`, () => {
    assert.is(asTyped(text, sources), expected);
  });
}

test.run();
