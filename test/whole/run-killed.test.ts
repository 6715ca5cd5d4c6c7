import { chown, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { currentHolder, holderText } from '../../src/shared/util/lock/lock-holder.js';
import { runCli, startCli } from '../cli/run-cli.js';
import { film, makeMedia } from '../helpers/media.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';

const slow = ['--speed', '1', '--quality', '5', '--width', '1920', '--upscale', '--progress', 'plain'];

/** A folder with the film `in.mp4`, and an empty temporary folder for runs. */
async function prepare(seconds: number) {
  const folder = tempFolder();
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await makeMedia(join(folder, 'in.mp4'), film('320x240', seconds));
  const place = { cwd: folder, env: { TMPDIR: temporary } };
  return { folder, temporary, place };
}

/** Serves the file of a folder at a URL until the test has ended. */
async function serveFile(path: string) {
  const content = await readFile(path);
  const server = createServer((_, response) => response.end(content)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in.mp4`, server };
}

test('the next run removes the folder and the downloaded input of a run that was killed', async () => {
  const { folder, temporary, place } = await prepare(6);
  const { url, server } = await serveFile(join(folder, 'in.mp4'));
  const killed = startCli(['run', url, '-o', 'a.mp4', ...slow], place);
  await killed.expectedText('transcoding');
  killed.child.kill('SIGKILL');
  await killed.ended;
  server.close();
  const left = await listRecursively(temporary);
  assert.ok(
    left.some((name) => /input/.test(name)),
    left.join('\n'),
  );
  const next = await runCli(['run', 'in.mp4', '-o', 'b.mp4', '--width', '64', '--progress', 'none'], place);
  assert.is(next.code, 0, next.stderr);
  assert.is(next.stderr, '');
  assert.equal(await readdir(temporary), []);
});

test('a run leaves the folder of another that is running', async () => {
  const { temporary, place } = await prepare(6);
  const first = startCli(['run', 'in.mp4', '-o', 'a.mp4', ...slow], place);
  await first.expectedText('transcoding');
  const second = await runCli(['run', 'in.mp4', '-o', 'b.mp4', '--width', '64', '--progress', 'none'], place);
  assert.is(second.code, 0, second.stderr);
  assert.is((await readdir(temporary)).length, 1);
  first.child.kill('SIGINT');
  assert.is((await first.ended).code, 130);
  assert.equal(await readdir(temporary), []);
});

test('a run removes no folder that is not surely that of an ended run of its user', async () => {
  const { folder, temporary, place } = await prepare(1);
  // No process has this pid: the largest one is 2^22.
  const ended = holderText({ ...currentHolder(false), pid: 4194305 });
  const elsewhere = { boot: currentHolder(false).machine?.boot ?? '-', namespace: 'pid:[1]', host: 'other' };
  const locks = {
    'venc-ended1': ended,
    'venc-remote': holderText({ ...currentHolder(false), pid: 4194305, machine: elsewhere }),
    'venc-living': holderText(currentHolder(false)),
    'venc-wrong1': 'not a lock',
    'venc-nolock': null,
    'venc-longer1': ended,
    'other-ended1': ended,
  };
  for (const [name, lock] of Object.entries(locks)) {
    await mkdir(join(temporary, name, 'data-0'), { recursive: true });
    await writeFile(join(temporary, name, 'data-0', 'input'), 'content');
    if (lock !== null) await writeFile(join(temporary, name, 'lock'), lock);
  }
  const target = join(folder, 'target');
  await mkdir(target);
  await writeFile(join(target, 'lock'), ended);
  await symlink(target, join(temporary, 'venc-symlin'));
  await writeFile(join(temporary, 'venc-afile1'), ended);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await mkdir(join(temporary, 'venc-foreig'));
    await writeFile(join(temporary, 'venc-foreig', 'lock'), ended);
    await chown(join(temporary, 'venc-foreig'), 65534, 65534);
  }
  const run = await runCli(['run', 'in.mp4', '-o', 'b.mp4', '--width', '64', '--progress', 'none'], place);
  assert.is(run.code, 0, run.stderr);
  const kept = Object.keys(locks).filter((name) => name !== 'venc-ended1');
  const others = ['venc-symlin', 'venc-afile1', ...(isRoot ? ['venc-foreig'] : [])];
  assert.equal((await readdir(temporary)).sort(), [...kept, ...others].sort());
  assert.equal(await readdir(target), ['lock']);
  assert.ok((await lstat(join(temporary, 'venc-symlin'))).isSymbolicLink());
});

test.run();
