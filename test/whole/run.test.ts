import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli, startCli } from '../cli/run-cli.js';
import { film, makeMedia } from '../helpers/media.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';

const slow = ['--speed', '1', '--quality', '5', '--width', '1920', '--upscale', '--progress', 'plain'];

test('a second Ctrl-C ends run at once and leaves nothing', async () => {
  const folder = tempFolder();
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await makeMedia(join(folder, 'in.mp4'), film('640x360', 6));
  const run = startCli(['run', 'in.mp4', '-o', 'out.mp4', ...slow], {
    cwd: folder,
    env: { TMPDIR: temporary },
  });
  await run.expectedText('transcoding');
  run.child.kill('SIGINT');
  run.child.kill('SIGINT');
  const { code } = await run.ended;
  assert.is(code, 130);
  assert.equal(await readdir(temporary), []);
  assert.equal(await readdir(folder), ['in.mp4', 'tmp']);
});

test('Ctrl-C names the finished outputs that stay, and leaves no empty folders', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('640x360', 6));
  const large = { width: 1920, upscale: true, speed: 1, quality: 5, filename: 'b/c/b.mp4' };
  const outputs = [
    { label: 'a', filename: 'a/a.mp4', width: 64 },
    { source: 'a', ...large },
  ];
  await writeFile(join(folder, 'job.json'), JSON.stringify({ input: 'in.mp4', outputs }));
  const run = startCli(['run', 'job.json', '-o', 'out/', '--progress', 'json'], { cwd: folder });
  await run.expectedText('{"id":3,"state":"finished"');
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  assert.is(code, 130);
  assert.match(stderr, /the encoding was cancelled\. 1 finished output stays: out\/a\/a\.mp4\.\n/);
  assert.equal((await readdir(join(folder, 'out'), { recursive: true })).sort(), ['a', 'a/a.mp4']);
});

test('run lists the thumbnails that it wrote and overwrites none without --force', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 1));
  await writeFile(join(folder, 'out_0001.png'), 'not a thumbnail');
  const words = ['run', 'in.mp4', '-o', 'out.mp4', '--thumbnails', '2', '--progress', 'none'];
  const rejected = await runCli(words, { cwd: folder });
  assert.is(rejected.code, 2, rejected.stderr);
  assert.match(rejected.stderr, /out_0001\.png already exists.*--force/s);
  assert.equal((await readdir(folder)).sort(), ['in.mp4', 'out_0001.png']);
  const forced = await runCli([...words, '--force'], { cwd: folder });
  assert.is(forced.code, 0, forced.stderr);
  assert.is(forced.stdout, 'out.mp4\nout_0000.png\nout_0001.png\n');
  assert.equal((await readFile(join(folder, 'out_0001.png'))).subarray(1, 4).toString(), 'PNG');
});

test('run names outputs by label or number and creates the output folder', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 1));
  const outputs = ['--output', 'label=web,width=32', '--output', 'width=48', '--output', 'width=16'];
  const words = ['run', 'in.mp4', ...outputs, '--progress', 'none'];
  const once = await runCli([...words, '-o', 'a.mp4'], { cwd: folder });
  assert.is(once.code, 2);
  assert.match(once.stderr, /-o names 1 file, but there are 3 outputs\.\nvenc: hint: .*-o out\//);
  const { code, stdout, stderr } = await runCli([...words, '-o', 'out/'], { cwd: folder });
  assert.equal([code, stdout], [0, 'out/in-web.mp4\nout/in-2.mp4\nout/in-3.mp4\n'], stderr);
  assert.equal((await readdir(join(folder, 'out'))).sort(), ['in-2.mp4', 'in-3.mp4', 'in-web.mp4']);
});

test('invalid values are reported before a file is uploaded', async () => {
  const folder = tempFolder();
  await writeFile(join(folder, 'film.mov'), 'no film');
  const service = await startFakeService();
  const env = { VENC_URL: service.url, VENC_API_KEY: service.key };
  const { code, stderr } = await runCli(['submit', 'film.mov', '--quality', '9'], { cwd: folder, env });
  await service.close();
  assert.is(code, 2);
  assert.match(stderr, '--quality must be a whole number from 1 to 5');
  assert.equal(service.seen, []);
});

test.run();
