import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { openChaosSuite } from '../helpers/chaos/chaos-suite.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { ask as askPage, byScript, cookieOf } from '../helpers/page-client.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

/* A daemon on a small disk of its own, which fills up or turns read-only, and recovers. */
const test = suite('a daemon on a disk that fails for a while');
const chaos = openChaosSuite('full-disk');
const rounds = chaos.isLong ? 10 : 1;
const counts = { filled: 0, readOnly: 0, jobs: 0 };
const mounts: string[] = [];

test.after.each(() => {
  killDaemons();
  for (const folder of mounts.splice(0)) spawnSync('umount', ['--lazy', folder]);
});
test.after(() => chaos.close(counts));

/** Mounts a small disk. Null, with a sentence, if this user may not. */
function mountDisk(): string | null {
  const folder = join(tempFolder(), 'disk');
  mkdirSync(folder);
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    process.stdout.write(`skipped: this user may not mount a disk: ${error?.message ?? stderr.trim()}\n`);
    return null;
  }
  mounts.push(folder);
  return folder;
}

const headers = { 'Service-Api-Key': processKey };
const ask = (daemon: DaemonProcess, path: string, init: RequestInit = {}) =>
  fetch(`${daemon.url}${path}`, { ...init, headers });

async function create(daemon: DaemonProcess, source: string): Promise<Response> {
  const outputs = [{ width: 640, upscale: true, speed: 1 }];
  const response = await ask(daemon, '/v2/jobs', {
    method: 'POST',
    body: JSON.stringify({ input: `file://${source}`, outputs }),
  });
  counts.jobs += response.status === 201 ? 1 : 0;
  return response;
}

const idOf = async (response: Response) => {
  assert.is(response.status, 201, await response.clone().text());
  return ((await response.json()) as { id: string }).id;
};

const read = async (daemon: DaemonProcess, id: string) => {
  const response = await ask(daemon, `/v2/jobs/${id}`);
  assert.is(response.status, 200, `job ${id} is lost`);
  return ((await response.json()) as { job: JobRecord }).job;
};

const isUnhealthy = async (daemon: DaemonProcess) => (await ask(daemon, '/health')).status === 503;

async function assertUnavailable(daemon: DaemonProcess, source: string, reason: RegExp): Promise<void> {
  const upload = () => ask(daemon, '/v2/uploads/a.mov', { method: 'PUT', body: 'a film' });
  for (const response of [await create(daemon, source), await upload()]) {
    assert.is(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.match(await response.text(), reason);
  }
}

async function setUp(): Promise<{
  readonly disk: string;
  readonly source: string;
  readonly args: readonly string[];
} | null> {
  const disk = mountDisk();
  if (disk === null) return null;
  const folder = tempFolder();
  const source = join(folder, 'in.mp4');
  await makeMedia(source, film('320x240', 2));
  return { disk, source, args: ['--files-root', folder, '--jobs', '1', '--min-free', '1MB'] };
}

/** Checks that every acknowledged job reaches a final state without a restart, and is the same after one. */
async function assertRecovered(
  daemon: DaemonProcess,
  disk: string,
  ids: readonly string[],
): Promise<readonly JobRecord[]> {
  for (const id of ids)
    await waitUntil(`job ${id} is final`, async () => isFinal((await read(daemon, id)).state));
  const jobs = await Promise.all(ids.map((id) => read(daemon, id)));
  assert.is(await daemon.end('SIGTERM'), 0, daemon.logged());
  const next = await startDaemonProcess(join(disk, 'data'), ['--jobs', '0']);
  for (const job of jobs) assert.is((await read(next, String(job.id))).state, job.state);
  assert.is(await next.end('SIGTERM'), 0, next.logged());
  return jobs;
}

test('a full disk: creates are 503, the running job fails with its class, and all works again with space', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const fixture = await setUp();
    if (fixture === null) return;
    const { disk, source, args } = fixture;
    const daemon = await startDaemonProcess(join(disk, 'data'), args);
    const ids = [await idOf(await create(daemon, source)), await idOf(await create(daemon, source))];
    await waitUntil('a job runs', async () => (await read(daemon, ids[0] ?? '')).state === 'processing');
    fill(join(disk, 'filler'), disk);
    counts.filled += 1;
    await waitUntil('the daemon is unhealthy', () => isUnhealthy(daemon));
    await assertUnavailable(daemon, source, /free space|no space left/);
    for (const id of ids) await read(daemon, id);
    rmSync(join(disk, 'filler'));
    await waitUntil('the daemon is healthy', async () => !(await isUnhealthy(daemon)));
    ids.push(await idOf(await create(daemon, source)));
    const jobs = await assertRecovered(daemon, disk, ids);
    for (const { state, output_media_files: outputs, input_media_file: input } of jobs) {
      const [failure] = [...outputs, input].filter(({ error_class: errorClass }) => errorClass !== null);
      assert.ok(
        state === 'finished' || failure?.error_class === 'OutOfSpaceError',
        `${state}: ${failure?.error_message}`,
      );
    }
    assert.is(jobs.at(-1)?.state, 'finished', 'with space, jobs finish');
  }
});

test('a disk that turns read-only: creates are 503 with the reason, and all works again when it is writable', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const fixture = await setUp();
    if (fixture === null) return;
    const { disk, source, args } = fixture;
    const daemon = await startDaemonProcess(join(disk, 'data'), args);
    const ids = [await idOf(await create(daemon, source))];
    await waitUntil('it is final', async () => isFinal((await read(daemon, ids[0] ?? '')).state));
    // The kernel rejects it while a file is open for writing, such as a scratch file of the job that has just ended.
    await waitUntil(
      'the disk is read-only',
      () => spawnSync('mount', ['-o', 'remount,ro', disk]).status === 0,
    );
    counts.readOnly += 1;
    await waitUntil('the daemon is unhealthy', () => isUnhealthy(daemon));
    await assertUnavailable(daemon, source, /read-only disk/);
    const cancel = await ask(daemon, `/v2/jobs/${ids[0]}/cancel`, { method: 'PUT' });
    assert.is(cancel.status, 409);
    assert.is((await ask(daemon, `/v2/jobs/${ids[0]}`, { method: 'DELETE' })).status, 503);
    await read(daemon, ids[0] ?? '');
    assert.is(spawnSync('mount', ['-o', 'remount,rw', disk]).status, 0);
    await waitUntil('the daemon is healthy', async () => !(await isUnhealthy(daemon)));
    ids.push(await idOf(await create(daemon, source)));
    const jobs = await assertRecovered(daemon, disk, ids);
    assert.equal(
      jobs.map(({ state }) => state),
      ['finished', 'finished'],
    );
  }
});

test('a plan of the page says that the disk is full', async () => {
  const prepared = await setUp();
  if (prepared === null) return;
  const { disk, args } = prepared;
  const daemon = await startDaemonProcess(join(disk, 'data'), args);
  const cookie = await cookieOf(daemon, processKey);
  const head = Buffer.alloc(2 * 1024 * 1024);
  const body = JSON.stringify({ request: {}, size: head.length, head: head.toString('base64'), tail: '' });
  const plan = () => askPage(daemon, '/ui/api/plan', { method: 'POST', headers: byScript, cookie, body });
  const filler = join(disk, 'filler');
  fill(filler, disk);
  const { status, text } = await plan();
  assert.is(status, 503, text);
  assert.match(text, 'There is no space left on the disk of the daemon.');
  rmSync(filler);
  assert.is((await plan()).status, 200);
  assert.is(await daemon.end('SIGTERM'), 0, daemon.logged());
});

/** Fills a disk, up to the last block. */
function fill(path: string, disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  for (let size = bavail * bsize; size > 0; size = Math.floor(size / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

test.run();
