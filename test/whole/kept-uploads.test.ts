import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { upload } from '../helpers/backups.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const root = tempFolder();
const source = join(root, 'in.mp4');
test.before(() => makeMedia(source, film('64x48', 0.4)));

/** The paths of all uploads of a data folder, or of its hosted files. */
async function uploadsOf(dataFolder: string, kind = 'uploads'): Promise<readonly string[]> {
  const folder = join(dataFolder, kind);
  const tokens = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const names = await Promise.all(
    tokens.map(async (token) =>
      (await readdir(join(folder, token))).map((name) => join(folder, token, name)),
    ),
  );
  return names.flat();
}

/** Makes all uploads of a data folder, or its hosted files, so many hours old: by default more than they are kept. */
async function age(dataFolder: string, kind = 'uploads', hours = 25): Promise<void> {
  const time = new Date(Date.now() - hours * 3_600_000);
  for (const path of await uploadsOf(dataFolder, kind)) await utimes(path, time, time);
}

function resubmit(daemon: TestDaemon, id: number): Promise<Response> {
  return daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' });
}

test('the upload of a job that waits for a day is there when it runs, and a day longer', async () => {
  const { dataFolder, ...first } = await startTestDaemon({ jobs: 0 });
  const url = await upload({ dataFolder, ...first }, source);
  const unused = await upload({ dataFolder, ...first }, source, 'unused.mp4');
  const id = await first.create({ input: url, outputs: [{ width: 32, filename: 'a.mp4' }] });
  await first.stop();
  await age(dataFolder);
  const second = await startTestDaemon({ dataFolder, jobs: 0 });
  await waitUntil('the other one is deleted', async () => (await uploadsOf(dataFolder)).length === 1);
  assert.not.ok((await uploadsOf(dataFolder)).some((path) => path.endsWith('unused.mp4')));
  const outputs = [{ width: 16, filename: 'b.mp4' }];
  const expired = await second.request('/v2/jobs', {
    method: 'POST',
    body: JSON.stringify({ input: unused, outputs }),
  });
  assert.is(expired.status, 422);
  // The upload that a job needs can also be the input of another one.
  const other = await second.create({ input: url, outputs });
  await second.stop();
  await age(dataFolder);
  const third = await startTestDaemon({ dataFolder, jobs: 1 });
  assert.is((await third.waitForJob(id)).state, 'finished');
  assert.is((await third.waitForJob(other)).state, 'finished');
  const [path = ''] = await uploadsOf(dataFolder);
  await waitUntil('its time starts again', async () => Date.now() - (await stat(path)).mtimeMs < 60_000);
  assert.ok((await readFile(path)).equals(await readFile(source)));
  await third.stop();
});

test('a hosted file stays at its address while a job that reads it waits', async () => {
  const held: (() => void)[] = [];
  const server = await startHttpSource(async (_, response) => {
    const bytes = await readFile(source);
    held.push(() => response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes));
  });
  const daemon = await startTestDaemon({ jobs: 1 });
  const outputs = [{ width: 32 }];
  const input = await upload(daemon, source);
  const made = await Promise.all(
    ['a.mp4', 'b.mp4'].map((filename) => daemon.create({ input, outputs: [{ width: 32, filename }] })),
  );
  const [address = '', other = ''] = await Promise.all(
    made.map(async (id) => (await daemon.waitForJob(id)).output_media_files[0]?.url ?? ''),
  );
  const blocking = Array.from({ length: 5 }, () =>
    daemon.create({ input: server.url('/held.mp4'), outputs }),
  );
  await Promise.all(blocking);
  const id = await daemon.create({ input: address, outputs });
  await age(daemon.dataFolder, 'hosted');
  assert.equal([(await fetch(address)).status, (await fetch(other)).status], [200, 410]);
  const answer = setInterval(() => held.splice(0).map((one) => one()), 50);
  assert.is((await daemon.waitForJob(id)).state, 'finished');
  clearInterval(answer);
  await daemon.stop();
  await server.close();
});

test('a job is resubmitted while its upload is there, and rejected with a reason when it is gone', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const id = await daemon.create({
    input: await upload(daemon, source),
    outputs: [{ width: 32, filename: 'a.mp4' }],
  });
  // The time starts again after the answer to a change. That is awaited, so that it does not undo the next `age`.
  const renewed = async (change: () => Promise<Response>, hours?: number) => {
    await age(daemon.dataFolder, 'uploads', hours);
    assert.is((await change()).status, 204);
    await waitUntil('its time starts again', async () => {
      const [path = ''] = await uploadsOf(daemon.dataFolder);
      return Date.now() - (await stat(path)).mtimeMs < 60_000;
    });
  };
  const cancel = () => daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  await renewed(cancel);
  await renewed(() => resubmit(daemon, id), 23);
  await renewed(cancel);
  await age(daemon.dataFolder);
  const rejected = await resubmit(daemon, id);
  assert.is(rejected.status, 409);
  const { errors } = (await rejected.json()) as { errors: readonly string[] };
  assert.match(errors[0] ?? '', /Job \d+ cannot run again: its upload film\.mp4 is gone\. Uploads are kept/);
  await daemon.stop();
});

test.run();
