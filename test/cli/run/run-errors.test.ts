import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { film, makeMedia } from '../../helpers/media.js';
import { tempFolder } from '../../helpers/temp.js';
import { runCli } from '../run-cli.js';

const test = suite('errors of run');
const folder = tempFolder();
const files: Readonly<Record<string, string>> = {
  'a.mov': 'a',
  'b.mov': 'b',
  'here.json': '{"input": "a.mov", "outputs": [{"width": 0}]}',
  'gone.json': '{"input": "gone.mov"}',
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
  ['run a.mov --filename g.mp4 -o f.mp4', new RegExp(`--filename and -o ${double}`)],
  ['run a.mov --output url=ftp://h/o.mp4 -o f.mp4', new RegExp(`--output url and -o ${double}`)],
  ['run a.mov b.mov -o one.mp4', /one\.mp4 looks like a file.*\n.*-o one\//],
  ['run here.json', /here\.json: outputs\[0\]\.width must be/],
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
