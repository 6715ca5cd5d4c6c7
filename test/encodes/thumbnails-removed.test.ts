import { execFile } from 'node:child_process';
import { readdirSync, watch } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const execute = promisify(execFile);
const number = 180;

/**
 * An input, and an empty folder for an output with enough thumbnails that their delivery can be interrupted, also if a
 * busy machine needs a second for that.
 */
async function setUp() {
  const folder = tempFolder();
  const out = join(folder, 'out');
  await mkdir(out);
  await makeMedia(join(folder, 'in.mp4'), [...testVideo('64x48', 25, 1), '-c:v', 'libx264']);
  const outputs = [{ url: `file://${join(out, 'film.mp4')}`, thumbnails: { number } }];
  return { folder, out, body: { input: `file://${join(folder, 'in.mp4')}`, outputs } };
}

/** Runs an action as soon as a folder contains ten thumbnails. */
function atTenth(folder: string, act: () => void): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (readdirSync(folder).length < 10) return;
      watcher.close();
      act();
      resolve();
    });
  });
}

test('a job that is cancelled during the delivery of its thumbnails leaves nothing', async () => {
  const { folder, out, body } = await setUp();
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  let answer: Promise<Response> | undefined;
  const tenth = atTenth(out, () => {
    answer = daemon.request('/v2/jobs/1/cancel', { method: 'PUT' });
  });
  assert.is(await daemon.create(body), 1);
  await tenth;
  assert.is((await answer)?.status, 204);
  await daemon.stop();
  assert.equal(await readdir(out), []);
});

test('after kill -9 during the delivery of thumbnails, only the files of the final result remain, whether it then finishes or fails', async () => {
  const { folder, out, body } = await setUp();
  const data = join(folder, 'data');
  const first = await startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
  await writeFile(join(out, 'mine.png'), 'not of the job');
  const tenth = atTenth(out, () => first.child.kill('SIGKILL'));
  const created = await fetch(`${first.url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': processKey },
    body: JSON.stringify(body),
  });
  const { id } = (await created.json()) as { id: string };
  await tenth;
  await first.end('SIGKILL');
  assert.ok((await readdir(out)).length >= 10);
  assert.not.ok((await readdir(out)).includes('film.mp4'), 'killed before the video was delivered');
  // One kill serves both cases: the state that it left is restored for the second.
  const [laterData, laterOut] = [join(folder, 'later-data'), join(folder, 'later-out')];
  // Links: a copy of a file would not be the file that the job delivered.
  await execute('cp', ['-al', data, laterData]);
  await execute('cp', ['-al', out, laterOut]);

  const endOf = async (dataFolder: string) => {
    const daemon = await startTestDaemon({ dataFolder, filesRoots: [folder] });
    const job = await daemon.waitForJob(Number(id));
    await daemon.stop();
    return { state: job.state, thumbnails: job.thumbnails.length, left: (await readdir(out)).sort() };
  };
  const finished = await endOf(data);
  assert.equal([finished.state, finished.thumbnails, finished.left.length], ['finished', number, number + 2]);

  await rm(out, { recursive: true });
  await rename(laterOut, out);
  await rm(join(folder, 'in.mp4'));
  assert.equal(await endOf(laterData), { state: 'failed', thumbnails: 0, left: ['mine.png'] });
});

test.after(killDaemons);

test.run();
