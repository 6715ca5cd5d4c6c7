import { readdirSync, watch } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobProgressRecord, JobRecord } from '../../src/api/records.js';
import { eventually, startTestDaemon } from '../helpers/daemon.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { makeMedia, picture } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const number = 60;

/** An input, and an empty folder for an output with so many thumbnails that their delivery can be interrupted. */
async function setUp() {
  const folder = tempFolder();
  const out = join(folder, 'out');
  await mkdir(out);
  await makeMedia(join(folder, 'in.mp4'), [...picture('64x48', 25, 1), '-c:v', 'libx264']);
  const outputs = [{ url: `file://${join(out, 'film.mp4')}`, thumbnails: { number } }];
  return { folder, out, body: { input: `file://${join(folder, 'in.mp4')}`, outputs } };
}

/** Does something as soon as a tenth thumbnail is in a folder. */
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

test('of a job that is cancelled while its thumbnails are delivered nothing is left', async () => {
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

const ask = (daemon: DaemonProcess, path: string, init: RequestInit = {}) =>
  fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': processKey } });

for (const end of ['finished', 'failed'] as const) {
  test(`after kill -9 while thumbnails are delivered, a job that is ${end} later leaves what belongs to it`, async () => {
    const { folder, out, body } = await setUp();
    const data = join(folder, 'data');
    const args = ['--files-root', folder, '--jobs', '1'];
    const first = await startDaemonProcess(data, args);
    await writeFile(join(out, 'mine.png'), 'not of the job');
    const tenth = atTenth(out, () => first.child.kill('SIGKILL'));
    const created = await ask(first, '/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
    const { id } = (await created.json()) as { id: string };
    await tenth;
    await first.end('SIGKILL');
    assert.ok((await readdir(out)).length >= 10);
    assert.not.ok((await readdir(out)).includes('film.mp4'), 'killed before the video was delivered');
    if (end === 'failed') await rm(join(folder, 'in.mp4'));
    const second = await startDaemonProcess(data, args);
    const state = async () =>
      ((await (await ask(second, `/v2/jobs/${id}/progress`)).json()) as JobProgressRecord).state;
    await eventually(state, (now) => now === end);
    const { job } = (await (await ask(second, `/v2/jobs/${id}`)).json()) as { job: JobRecord };
    assert.is(job.thumbnails.length, end === 'finished' ? number : 0);
    const left = await readdir(out);
    assert.is(left.length, end === 'finished' ? number + 2 : 1, left.join());
    await second.end('SIGTERM');
  });
}

test.after(killDaemons);

test.run();
