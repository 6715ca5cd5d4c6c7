import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli, startCli } from '../cli/run-cli.js';
import { tempFolder } from '../helpers/temp.js';

const words = ['daemon', '--port', '0', '--jobs', '0'];

test('a daemon prints its address first, is found through its data folder, and exits with 0 on SIGTERM', async () => {
  const env = { VENC_DATA: join(tempFolder(), 'data') };
  const daemon = startCli(words, { env });
  await daemon.expectedText('http://127.0.0.1:');
  assert.is((await runCli(['list', '--json'], { env })).stdout, '[]\n');

  const submitted = await runCli(['submit', 'http://example.com/film.mov'], { env });
  assert.match(submitted.stdout, /^\d+\n$/);
  const cancelled = await runCli(['cancel', '--all', '--yes'], { env });
  assert.equal(
    [cancelled.code, cancelled.stderr],
    [0, `venc: job ${submitted.stdout.trim()} is cancelled\n`],
  );
  assert.is((await runCli(['wait', submitted.stdout.trim()], { env })).code, 1);

  const second = await runCli(words, { env });
  assert.is(second.code, 6, second.stderr);
  daemon.child.kill('SIGTERM');
  const result = await daemon.ended;
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stdout, /^http:\/\/127\.0\.0\.1:\d+\n$/);
  assert.is((await runCli(['list'], { env })).code, 3);
});

test('a daemon uses its configuration unless a flag overrides it', async () => {
  const home = tempFolder();
  mkdirSync(join(home, 'venc'));
  const config = {
    port: 0,
    jobs: 0,
    'max-outputs': 1,
    'log-format': 'json',
    'files-root': '/no/such/folder',
  };
  writeFileSync(join(home, 'venc', 'config.json'), JSON.stringify(config));
  const env = { VENC_DATA: join(home, 'data'), XDG_CONFIG_HOME: home };
  const rejected = await runCli(['daemon'], { env });
  assert.equal(
    [rejected.code, rejected.stderr],
    [2, 'venc: --files-root needs an existing folder; "/no/such/folder" is not one.\n'],
  );
  const submit = ['submit', 'http://example.com/film.mov', '--output', 'width=64', '--output', 'width=66'];
  for (const [flags, code] of [
    [[], 2],
    [['--max-outputs', '2'], 0],
  ] as const) {
    const daemon = startCli(['daemon', '--files-root', home, ...flags], { env });
    await daemon.expectedText('http://127.0.0.1:');
    const submitted = await runCli(submit, { env });
    assert.is(submitted.code, code, submitted.stderr);
    daemon.child.kill('SIGTERM');
    const { stderr } = await daemon.ended;
    for (const line of stderr.trim().split('\n').filter(Boolean)) assert.ok(JSON.parse(line).message, line);
  }
});

test('a media file is uploaded before it is submitted', async () => {
  const folder = tempFolder();
  const env = { VENC_DATA: join(folder, 'data') };
  writeFileSync(join(folder, 'film.mov'), 'not a film, but only a probe detects that');
  const daemon = startCli(words, { env });
  await daemon.expectedText('http://127.0.0.1:');
  const submitted = await runCli(['submit', 'film.mov'], { env, cwd: folder });
  assert.is(submitted.code, 0, submitted.stderr);
  const shown = await runCli(['show', submitted.stdout.trim(), '--json'], { env });
  assert.match(JSON.parse(shown.stdout).input_media_file.url, /^upload:\/\/.*film\.mov$/);
  daemon.child.kill('SIGINT');
  assert.is((await daemon.ended).code, 0);
});

test('a data folder that cannot be created ends the daemon with 2', async () => {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');
  const result = await runCli([...words, '--data', join(file, 'data')]);
  assert.is(result.code, 2, result.stderr);
  assert.is(result.stdout, '');
});

test('run overwrites nothing without --force, and never its own input', async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, 'film.mov'), '');
  writeFileSync(join(cwd, 'film.mp4'), '');
  const there = await runCli(['run', 'film.mov'], { cwd });
  assert.equal([there.code, there.stdout], [2, '']);
  assert.match(there.stderr, /film\.mp4 already exists/);
  const itself = await runCli(['run', 'film.mov', '-o', './film.mov', '--force'], { cwd });
  assert.is(itself.code, 2);
  assert.match(itself.stderr, /is the input itself/);
  const neither = await runCli(['run'], { cwd });
  assert.is(neither.code, 2);
});

test('run rejects an output file that cannot be written before it encodes, and encodes nothing with mock', async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, 'film.mov'), 'no film');
  const below = await runCli(['run', 'film.mov', '-o', 'film.mov/a/b.mp4'], { cwd });
  assert.is(below.code, 2, below.stderr);
  assert.match(below.stderr, /film\.mov\/a\/b\.mp4 cannot be written: .*film\.mov is not a folder/);
  const checked = await runCli(['run', 'film.mov', '--mock'], { cwd });
  assert.equal([checked.code, checked.stdout], [0, ''], checked.stderr);
  assert.match(checked.stderr, /the request is valid; nothing was encoded/);
});

test.run();
