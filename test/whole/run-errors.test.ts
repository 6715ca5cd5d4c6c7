import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('errors of run');
const folder = tempFolder();
const files: Readonly<Record<string, string>> = {
  'a.mov': 'a',
  'b.mov': 'b',
  'here.json': '{"input": "a.mov", "outputs": [{"width": 0}]}',
  'gone.json': '{"input": "gone.mov"}',
  'empty.json': ' \n',
  'root.xml': '<foo/>',
  'cut.json': '{"input": "a.mov",',
};

test.before(async () => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await makeMedia(join(folder, 'film.mp4'), film('64x48', 1));
});

const double = 'both say where the output goes; give one of them';

/** Arguments and what stderr must contain: exit code 2, and no file is written. */
const rejected: readonly (readonly [string, RegExp])[] = [
  ['run a.mov --url ftp://h/o.mp4 -o f.mp4', new RegExp(`--url and -o ${double}`)],
  ['plan a.mov --base-url ftp://h/ -o f.mp4', new RegExp(`--base-url and -o ${double}`)],
  ['run a.mov --output url=ftp://h/o.mp4 -o f.mp4', new RegExp(`--output url and -o ${double}`)],
  ['run a.mov b.mov -o one.mp4', /one\.mp4 looks like a file.*\n.*-o one\//],
  ['run here.json', /here\.json: outputs\[0\]\.width must be/],
  ['run empty.json', /The request in empty\.json is empty\.\n/],
  [
    'run root.xml',
    /^venc: The request in root\.xml is not valid: .* the root must be api-request, not foo\.\n$/,
  ],
  ['run cut.json', /The request in cut\.json is not a JSON object: syntax error at column 19/],
  [
    'run a.mov --watermark foo=1',
    /--watermark has no setting foo\.\nvenc: hint: the settings are url, x, y,/,
  ],
  ['run a.mov --video-bitrate 500k', /--video-bitrate must be .* to 1000000 Kbps, not "500k"\n$/],
  ['run a.mov --output {width:100}', /--output is not valid JSON: syntax error at column 2\./],
  ['run a.mov --thumbnails number=0', /--thumbnails: number must be .*, not "0"\n$/],
  ['run a.mov --ffmpeg /bin/ls', /\/bin\/ls, given as ffmpeg, .*[^.]\.\n/],
  ['run cf://c/o.mp4', /needs the address of the Swift login: set VENC_SWIFT_AUTH_URL/],
  ['a.mov', /unknown command 'a\.mov'\nvenc: hint: venc run a\.mov encodes/],
  ['daemon --public-url foo', /--public-url takes .*, not "foo"\./],
  ['run gone.json', /gone\.mov cannot be read: there is no such file/],
];

for (const [args, expected] of rejected) {
  test(`${args} is rejected`, async () => {
    const before = readdirSync(folder).sort();
    const { code, stdout, stderr } = await runCli(args.split(' '), { cwd: folder });
    assert.is(code, 2, stderr);
    assert.is(stdout, '');
    assert.match(stderr, expected);
    assert.equal(readdirSync(folder).sort(), before);
  });
}

if (existsSync('/proc/self')) {
  test('a folder in which nothing can be created is reported before the encode', async () => {
    const { code, stderr } = await runCli(['run', 'a.mov', '-o', '/proc/y.mp4'], { cwd: folder });
    assert.is(code, 2, stderr);
    assert.match(stderr, /\/proc\/y\.mp4 cannot be written: /);
  });
}

test('an argument list with spaces is answered with the comma, and an empty input with what to name', async () => {
  const spaced = await runCli(['run', 'a.mov', '--output', 'width=100 height=100'], { cwd: folder });
  assert.match(spaced.stderr, /pixels, not "100 height=100"; separate settings with commas\n$/);
  const empty = await runCli(['run', ''], { cwd: folder });
  assert.match(empty.stderr, /The file name is missing\.\nvenc: hint: name a media file/);
  assert.equal([spaced.code, empty.code], [2, 2]);
});

test('a warning about flags is printed', async () => {
  const args = ['run', 'film.mp4', '-o', 'w.mp4', '--size', '64x48', '--width', '32', '--progress', 'none'];
  const { code, stderr } = await runCli(args, { cwd: folder });
  assert.is(code, 0, stderr);
  assert.match(stderr, /warning: --size has no effect with --width/);
});

test('a warning about a flag says which outputs it is about, and a request keeps the names of its fields', async () => {
  const warningsOf = async (args: readonly string[]) => {
    const { stderr } = await runCli(['plan', ...args], { cwd: folder });
    return stderr.split('\n').filter((line) => line.includes('warning: '));
  };
  const outputs = ['--output', 'label=a,width=64', '--output', 'label=b,size=8x8,width=32'];
  assert.equal(await warningsOf(['film.mp4', '--audio-bitrate', '56', ...outputs]), [
    'venc: warning: --audio-bitrate was corrected to 64: bitrates are multiples of 16',
    'venc: warning: --output 2: size has no effect with width',
  ]);
  const own = ['--output', 'label=a', '--output', 'label=b,audio_bitrate=64'];
  assert.equal(await warningsOf(['film.mp4', '--audio-bitrate', '56', ...own]), [
    'venc: warning: output 1: --audio-bitrate was corrected to 64: bitrates are multiples of 16',
  ]);
  const request = { $schema: 's', input: 'film.mp4', tset: 1, outputs: [{ size: '8x8', width: 32 }] };
  writeFileSync(join(folder, 'warned.json'), JSON.stringify(request));
  assert.equal(await warningsOf(['warned.json', '--audio-bitrate', '56']), [
    'venc: warning: tset: is not known and was ignored; did you mean test?',
    'venc: warning: outputs[0].size: has no effect with width',
    'venc: warning: --audio-bitrate was corrected to 64: bitrates are multiples of 16',
  ]);
});

test('a value that was corrected for the input is printed with its flag', async () => {
  const flags = ['--video-codec-level', '1', '--size', '640x480', '--upscale', '--skip-audio'];
  const args = ['run', 'film.mp4', '-o', 'level.mp4', ...flags, '--progress', 'none'];
  const { code, stderr } = await runCli(args, { cwd: folder });
  assert.is(code, 0, stderr);
  assert.match(stderr, /warning: level\.mp4: --video-codec-level was corrected to /);
});

test('a server without TLS or SSH is reported as such', async () => {
  const server = createServer((_, response) => response.end('x'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  try {
    for (const [url, expected] of [
      [`https://127.0.0.1:${port}/a.mp4`, /does not speak TLS .*check whether http: or ftp: was meant/],
      [`sftp://u:p@127.0.0.1:${port}/a.mp4`, /did not answer as an SSH server/],
    ] as const) {
      const { code, stderr } = await runCli(['run', url, '-o', 'never.mp4'], { cwd: folder });
      assert.is(code, 1, stderr);
      assert.match(stderr, expected);
    }
  } finally {
    server.close();
  }
});

test('a failed output is named by its file, and its setting by its flag', async () => {
  const args = ['run', 'film.mp4', '-o', 'late.mp4', '--start-clip', '60', '--progress', 'none'];
  const { code, stderr } = await runCli(args, { cwd: folder });
  assert.is(code, 1, stderr);
  assert.match(stderr, /late\.mp4: InvalidVideoSettingsError: --start-clip is 60 seconds/);
});

test('an input that is given twice is encoded once, and said so', async () => {
  const { code, stderr } = await runCli(['run', 'a.mov', 'a.mov', '-o', 'x.mp4'], { cwd: folder });
  assert.is(code, 1, stderr);
  assert.match(stderr, /a\.mov is given more than once/);
});

test('a request names a local input by its path', async () => {
  writeFileSync(join(folder, 'local.json'), '{"input": "film.mp4", "outputs": [{"skip_video": true}]}');
  const args = ['run', 'local.json', '-o', 'audio.m4a', '--progress', 'none'];
  const { code, stdout, stderr } = await runCli(args, { cwd: folder });
  assert.is(code, 0, stderr);
  assert.is(stdout, 'audio.m4a\n');
});

test.run();
