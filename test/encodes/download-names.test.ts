import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { type DaemonProcess, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite<{ daemon: DaemonProcess; env: Record<string, string>; film: string }>(
  'names of downloads without --filename',
);

test.before(async (context) => {
  context.daemon = await startDaemonProcess(tempFolder());
  context.env = { VENC_URL: context.daemon.url, VENC_API_KEY: processKey };
  context.film = await media('clip.mp4');
});
test.after(async ({ daemon }) => void (await daemon.end('SIGTERM')));

test('downloads are named after the input and the label, and a complete file is not downloaded again', async ({
  env,
  film,
}) => {
  const cwd = tempFolder();
  const outputs = [
    '--output',
    'label=web,width=64,thumbnails=1',
    '--output',
    'width=48',
    '--output',
    'width=32',
  ];
  const quiet = ['--progress', 'none'];
  const made = await runCli(['submit', film, '--wait', '--download', '.', ...quiet, ...outputs], {
    env,
    cwd,
  });
  assert.is(made.code, 0, made.stderr);
  const [id = '', ...paths] = made.stdout.trim().split('\n');
  const names = ['clip-web.mp4', 'clip-2.mp4', 'clip-3.mp4', 'clip-web_0000.png'];
  assert.equal(paths, names);
  assert.equal(readdirSync(cwd).sort(), [...names].sort());
  const repeated = await runCli(['download', id, ...quiet], { env, cwd });
  assert.equal([repeated.code, repeated.stdout], [0, ''], repeated.stderr);
  assert.match(repeated.stderr, 'clip-web_0000.png already exists and is complete');
  writeFileSync(join(cwd, 'clip-web_0000.png'), 'another image');
  const other = await runCli(['download', id, ...quiet], { env, cwd });
  assert.is(other.code, 2, 'the file differs from the output of the job');
  const videos = await runCli(['submit', film, '--wait', ...quiet], { env, cwd });
  const second = videos.stdout.trim();
  const first = await runCli(['download', second, ...quiet], { env, cwd });
  assert.equal(
    [first.code, first.stdout],
    [0, 'clip-venc.mp4\n'],
    'in the folder of the input it would replace the input',
  );
  const again = await runCli(['download', second, ...quiet], { env, cwd });
  assert.equal(
    [again.code, again.stdout, again.stderr],
    [0, '', 'venc: clip-venc.mp4 already exists and is complete\n'],
  );
  // A third encode of the same video, downloaded with the second in one command.
  const third = (
    await runCli(['submit', film, '--wait', '--width', '32', ...quiet], { env, cwd })
  ).stdout.trim();
  const both = await runCli(['download', second, third, '-o', 'both', ...quiet], { env, cwd });
  assert.equal(
    [both.code, both.stdout],
    [0, `both/clip-venc.mp4\nboth/clip-venc-${Number(third) + 2}.mp4\n`],
    both.stderr,
  );
});

test('a requested name of 32 digits is kept', async ({ env, film }) => {
  const cwd = tempFolder();
  const name = `${'0123456789abcdef'.repeat(2)}.mp4`;
  const words = ['submit', film, '--wait', '--download', '.', '--filename', name, '--width', '32'];
  const { code, stderr } = await runCli([...words, '--progress', 'none'], { env, cwd });
  assert.is(code, 0, stderr);
  assert.equal(readdirSync(cwd), [name]);
});

test('an existing file is reported before the upload', async ({ env, film }) => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, 'clip-web.mp4'), 'mine');
  const words = ['submit', film, '--wait', '--download', '.', '--label', 'web'];
  const { code, stdout, stderr } = await runCli(words, { env, cwd });
  assert.equal([code, stdout], [2, '']);
  assert.match(stderr, /clip-web\.mp4 already exists/);
});

test.run();
