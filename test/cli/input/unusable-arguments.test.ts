import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../../helpers/temp.js';
import { runCli } from '../run-cli.js';

test('a film on stdin is rejected with what to do', async () => {
  for (const bytes of ['\0\0\0 ftypisom\0\0\u0002', 'GIF89a\0\0', 'OggS\0\u0002\0\0']) {
    const { code, stderr } = await runCli(['submit', '-'], { stdin: bytes });
    assert.is(code, 2);
    assert.match(stderr, /film cannot be read from stdin\.\n.*give a path or a URL/);
  }
});

test('a file whose name is not UTF-8 is there, and must be renamed', async () => {
  const folder = tempFolder();
  await writeFile(
    Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.mp4')]),
    'x',
  );
  // Only a shell passes bytes that are not UTF-8.
  const command = `'${process.execPath}' '${resolve('bin/venc.js')}' run "$(printf 'caf\\351.mp4')" -o out.mp4`;
  const stderr = await new Promise<string>((done) => {
    execFile('sh', ['-c', command], { cwd: folder }, (_error, _stdout, text) => done(text));
  });
  assert.match(stderr, /is there, but its name is not valid UTF-8: rename it/);
});

test('a pattern that matches no file and a folder have hints of their own', async () => {
  const folder = tempFolder();
  const hintOf = async (...words: readonly string[]) => (await runCli(words, { cwd: folder })).stderr;
  for (const command of ['plan', 'run', 'submit'])
    assert.match(
      await hintOf(command, '*.mp4'),
      /\*\.mp4 cannot be read: there is no such file\.\n.*no file matches this pattern/,
    );
  assert.match(await hintOf('plan', '.'), /it is a folder\.\nvenc: hint: name one of its files/);
  assert.not.match(await hintOf('plan', 'film.mp4'), /hint/);
});

test('the schema that an editor reads is no unknown name', async () => {
  const folder = tempFolder();
  const request = {
    $schema: 'https://example.com/schema.json',
    input: 'https://127.0.0.1:1/film.mp4',
    outputs: [{ widht: 1 }],
  };
  await writeFile(join(folder, 'request.json'), JSON.stringify(request));
  const { stderr } = await runCli(['plan', 'request.json'], { cwd: folder });
  assert.match(stderr, /widht: is not known/);
  assert.not.match(stderr, /schema/);
});

test.run();
