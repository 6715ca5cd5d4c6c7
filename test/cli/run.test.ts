import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { film, makeMedia } from '../helpers/media.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { runCli, startCli } from './run-cli.js';

const slow = ['--speed', '1', '--quality', '5', '--width', '1920', '--upscale', '--progress', 'plain'];

test('a second Ctrl-C leaves run at once, and nothing behind', async () => {
  const folder = tempFolder();
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await makeMedia(join(folder, 'in.mp4'), film('640x360', 6));
  const run = startCli(['run', 'in.mp4', '-o', 'out.mp4', ...slow], {
    cwd: folder,
    env: { TMPDIR: temporary },
  });
  await run.says('transcoding');
  run.child.kill('SIGINT');
  run.child.kill('SIGINT');
  const { code } = await run.ended;
  assert.is(code, 130);
  assert.equal(await readdir(temporary), []);
  assert.equal(await readdir(folder), ['in.mp4', 'tmp']);
});

test('wrong values are told before a file is uploaded, not after it', async () => {
  const folder = tempFolder();
  await writeFile(join(folder, 'film.mov'), 'no film');
  const service = await startFakeService();
  const env = { VENC_URL: service.url, VENC_API_KEY: service.key };
  const { code, stderr } = await runCli(['submit', 'film.mov', '--quality', '9'], { cwd: folder, env });
  await service.close();
  assert.is(code, 2);
  assert.match(stderr, 'outputs[0].quality must be a whole number from 1 to 5');
  assert.equal(service.seen, []);
});

test.run();
