import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { succeeded, upload, venc } from '../helpers/backups.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const root = tempFolder();
const source = join(root, 'in.mp4');
const slowSource = join(root, 'slow.mp4');

test.before(async () => {
  await makeMedia(source, film('64x48', 0.4));
  await makeMedia(slowSource, film('320x240', 30));
});

const tiny = [{ width: 32, filename: 'out.mp4' }];

/** Creates 50 jobs: 5 finished, 10 failed, 10 cancelled, 2 running, and the rest waiting for uploads that nothing else names. */
async function makeJobs(daemon: TestDaemon): Promise<readonly number[]> {
  const ids: number[] = [];
  const add = async (input: string, outputs: readonly object[] = tiny) => {
    ids.push(await daemon.create({ input, outputs }));
    return ids.at(-1) ?? 0;
  };
  for (let count = 0; count < 5; count += 1) await daemon.waitForJob(await add(await upload(daemon, source)));
  for (let count = 0; count < 10; count += 1) await add(pathToFileURL(join(root, 'missing.mp4')).href);
  for (const id of ids) await daemon.waitForJob(id);
  const slow = { width: 1920, upscale: true, speed: 1, quality: 5, filename: 'slow.mp4' };
  for (let count = 0; count < 2; count += 1) await add(pathToFileURL(slowSource).href, [slow]);
  for (let count = 0; count < 10; count += 1) {
    const id = await add(await upload(daemon, source));
    assert.is((await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
  }
  while (ids.length < 50) await add(await upload(daemon, source));
  return ids;
}

/** The states of all jobs. */
async function states(daemon: TestDaemon): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (let page = 1; ; page += 1) {
    const jobs = await daemon.read<{ job: { id: number; state: string } }[]>(
      `/v2/jobs?per_page=50&page=${page}`,
    );
    for (const { job } of jobs) found.set(job.id, job.state);
    if (jobs.length < 50) return found;
  }
}

/** Creates jobs with uploads, cancels and resubmits until it is stopped. */
function startLoad(daemon: TestDaemon) {
  const acknowledged = new Set<number>();
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const id = await daemon.create({ input: await upload(daemon, source, 'load.mp4'), outputs: tiny });
      acknowledged.add(id);
      // A cancelled and a resubmitted job move between the folders of the data folder.
      for (const [verb, times] of [
        ['cancel', 1],
        ['resubmit', id % 3 === 0 ? 1 : 0],
      ] as const)
        if (times > 0) await daemon.request(`/v2/jobs/${id}/${verb}`, { method: 'PUT' });
    }
  };
  const running = Promise.all([run(), run()]);
  return {
    acknowledged,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

test('a backup of a busy daemon has every acknowledged job and upload, and they finish after the restore', async () => {
  const daemon = await startTestDaemon({ filesRoots: [root], jobs: 2 });
  const backups = join(root, 'busy');
  const ids = await makeJobs(daemon);
  const load = startLoad(daemon);
  const snapshots: { before: readonly number[]; folder: string }[] = [];
  for (let count = 0; count < 3; count += 1) {
    await pause(300);
    const before = [...ids, ...load.acknowledged];
    const { stdout } = await succeeded(venc('backup', backups, daemon.dataFolder));
    await cp(stdout.trim(), join(root, `copy-${count}`), { recursive: true, preserveTimestamps: true });
    snapshots.push({ before, folder: join(root, `copy-${count}`) });
  }
  await load.stop();
  const greatestId = await daemon.create({ input: pathToFileURL(source).href, outputs: tiny });
  await daemon.stop();
  await rm(daemon.dataFolder, { recursive: true });

  for (const [index, { before, folder }] of snapshots.entries()) {
    const isLast = index === snapshots.length - 1;
    const data = join(root, `restored-${index}`);
    await succeeded(venc('restore', folder, data));
    const restored = await startTestDaemon({ dataFolder: data, filesRoots: [root], jobs: isLast ? 2 : 0 });
    const found = await states(restored);
    assert.equal(
      before.filter((id) => !found.has(id)),
      [],
    );
    assert.ok((await restored.create({ input: pathToFileURL(source).href, outputs: tiny })) > greatestId);
    if (isLast) {
      for (const id of ids.slice(15, 17)) await restored.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
      const wanted = new Map<number, string>();
      for (const id of before) wanted.set(id, (await restored.waitForJob(id)).state);
      const expected = ids.map((_, at) =>
        at < 5 ? 'finished' : at < 15 ? 'failed' : at < 27 ? 'cancelled' : 'finished',
      );
      assert.equal(
        ids.map((id) => wanted.get(id)),
        expected,
      );
      assert.equal(
        [...wanted].filter(([id, state]) => state === 'failed' && !ids.includes(id)),
        [],
      );
      // The outputs that the first jobs had are still hosted.
      const { job } = await restored.read<{ job: { output_media_files: { url: string }[] } }>(
        `/v2/jobs/${ids[0]}`,
      );
      const path = new URL(job.output_media_files[0]?.url ?? '').pathname;
      assert.is((await restored.request(path)).status, 200);
    }
    await restored.stop();
  }
});

test.run();
