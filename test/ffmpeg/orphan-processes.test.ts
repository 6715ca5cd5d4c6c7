import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { killOrphanProcesses, openFfmpeg } from '../../daemon/ffmpeg/index.js';
import { processFingerprint, recordProcess } from '../../daemon/ffmpeg/orphan-processes.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const script = fileURLToPath(new URL('./encode-forever.js', import.meta.url));

/** Kills a process with -9 while it encodes in `root/12`; returns the pid of its encoder. */
async function killWhileEncoding(root: string, searchPath: string): Promise<number> {
  const { ffmpeg, ffprobe } = await testFfmpeg();
  const scratch = join(root, '12');
  await mkdir(scratch);
  const args = [script, ffmpeg.path, ffprobe.path, join(root, 'cache'), scratch, searchPath];
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  const [note = ''] = await readdir(scratch);
  const pid = Number(note.replace('.ffmpeg-', ''));
  assert.ok(processFingerprint(pid), 'the encoder works');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  return pid;
}

test('an encoder ends when its daemon is killed', async () => {
  const { report } = await openFfmpeg({ cacheFolder: join(tempFolder(), 'cache') });
  if (!report.diesWithParent) return;
  const root = tempFolder();
  const pid = await killWhileEncoding(root, process.env.PATH ?? '');
  await waitUntil('the encoder is gone', () => processFingerprint(pid) === null);
  assert.is(await killOrphanProcesses(root), 0);
});

test('an encoder that outlives its daemon is ended at the next start, and its record deleted', async () => {
  const root = tempFolder();
  const pid = await killWhileEncoding(root, '');
  assert.ok(processFingerprint(pid), 'the encoder still runs');
  assert.is(await killOrphanProcesses(root), 1);
  assert.is(processFingerprint(pid), null);
  assert.equal(await readdir(join(root, '12')), []);
  assert.is(await killOrphanProcesses(root), 0);
});

test('a process that reuses the pid of an encoder is not ended', async () => {
  const root = tempFolder();
  const innocent = spawn('sleep', ['60'], { stdio: 'ignore' });
  const pid = innocent.pid ?? 0;
  await writeFile(join(root, `.ffmpeg-${pid}`), 'some-boot 12345');
  await writeFile(join(root, '.ffmpeg-1'), '');
  await writeFile(join(root, '.ffmpeg-0'), '');
  assert.is(await killOrphanProcesses(root), 0);
  assert.ok(processFingerprint(pid));
  innocent.kill('SIGKILL');
  await once(innocent, 'exit');
  assert.is(processFingerprint(pid), null);
});

test('the process record is deleted after its run, and a folder that cannot hold one is no error', async () => {
  const root = tempFolder();
  const forget = recordProcess(root, process.pid);
  assert.equal(await readdir(root), [`.ffmpeg-${process.pid}`]);
  forget();
  assert.equal(await readdir(root), []);
  recordProcess(join(root, 'nowhere'), process.pid)();
  assert.is(await killOrphanProcesses(join(root, 'nowhere')), 0);
});

test.run();
