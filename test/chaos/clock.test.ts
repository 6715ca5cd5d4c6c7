import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { openChaosSuite } from '../helpers/chaos/chaos-suite.js';
import { startShiftedDaemon } from '../helpers/chaos/shifted-clock.js';
import { type DaemonProcess, killDaemons, processKey } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { startContender } from '../helpers/namespaces.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite('a daemon whose clock is set');
const chaos = openChaosSuite('clock');
const { choices } = chaos;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let shifts = 0;

/** A random jump, back or forward. */
function jump(minMs: number, maxMs: number): number {
  shifts += 1;
  return choices.number(minMs, maxMs);
}

test.after.each(killDaemons);
test.after(() => chaos.close({ shifts }));

const headers = { 'Service-Api-Key': processKey };
const ask = (daemon: DaemonProcess, path: string, init: RequestInit = {}) =>
  fetch(`${daemon.url}${path}`, { ...init, headers: { ...init.headers, ...headers } });

async function create(
  daemon: DaemonProcess,
  body: object,
  key: Record<string, string> = {},
): Promise<string> {
  const response = await ask(daemon, '/v2/jobs', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: key,
  });
  assert.is(response.status, 201, await response.clone().text());
  return ((await response.json()) as { id: string }).id;
}

async function listIds(daemon: DaemonProcess): Promise<readonly number[]> {
  const jobs = (await (await ask(daemon, '/v2/jobs')).json()) as { job: JobRecord }[];
  return jobs.map(({ job }) => job.id);
}

const input = 'http://127.0.0.1:9/film.mp4';

test('ids and lists keep the order of the creates, now and after a restart', async () => {
  const folder = tempFolder();
  const daemon = await startShiftedDaemon(folder, ['--jobs', '0']);
  const ids: number[] = [];
  for (const offsetMs of [0, -jump(hourMs, 400 * dayMs), jump(hourMs, 400 * dayMs), 0]) {
    await daemon.setClock(offsetMs);
    ids.unshift(Number(await create(daemon, { input })));
  }
  assert.equal(
    ids,
    ids.toSorted((one, other) => other - one),
  );
  assert.equal(await listIds(daemon), ids);
  await daemon.end('SIGKILL');
  const next = await startShiftedDaemon(folder, ['--jobs', '0'], { offsetMs: -jump(hourMs, 400 * dayMs) });
  assert.equal(await listIds(next), ids);
  ids.unshift(Number(await create(next, { input })));
  assert.equal(await listIds(next), ids);
  assert.equal(
    ids,
    ids.toSorted((one, other) => other - one),
  );
});

test('an idempotency key is known after the clock was set back, and expires after 24 hours', async () => {
  const folder = tempFolder();
  const daemon = await startShiftedDaemon(folder, ['--jobs', '0']);
  const key = { 'Idempotency-Key': 'k' };
  const id = await create(daemon, { input }, key);
  await daemon.setClock(-jump(hourMs, 30 * dayMs));
  assert.is(await create(daemon, { input }, key), id);
  await daemon.setClock(jump(hourMs, 23 * hourMs));
  assert.is(await create(daemon, { input }, key), id);
  await daemon.setClock(jump(25 * hourMs, 30 * dayMs));
  assert.is.not(await create(daemon, { input }, key), id);
});

test('a hosted file expires by the clock, and not when the clock is set back', async () => {
  const folder = tempFolder();
  const path = join(folder, 'hosted', 'token', 'a.mp4');
  mkdirSync(join(folder, 'hosted', 'token'), { recursive: true });
  writeFileSync(path, 'a film');
  const daemon = await startShiftedDaemon(folder, ['--jobs', '0']);
  const status = async () => (await fetch(`${daemon.url}/hosted/token/a.mp4`)).status;
  await daemon.setClock(-jump(hourMs, 30 * dayMs));
  assert.is(await status(), 200);
  await daemon.setClock(jump(hourMs, 23 * hourMs));
  assert.is(await status(), 200);
  await daemon.setClock(jump(25 * hourMs, 29 * dayMs));
  assert.is(await status(), 410);
  await daemon.end('SIGTERM');
  // Its clock is right: the file is kept.
  await (await startShiftedDaemon(folder, ['--jobs', '0'])).end('SIGTERM');
  assert.ok(existsSync(path));
  await startShiftedDaemon(folder, ['--jobs', '0'], { offsetMs: 25 * hourMs });
  await waitUntil('the expired file is deleted', () => !existsSync(path));
});

test('a disk that works again is noticed, although the clock was set back', async () => {
  const folder = tempFolder();
  const daemon = await startShiftedDaemon(folder, ['--jobs', '0']);
  const status = async () => (await fetch(`${daemon.url}/health`)).status;
  // The check of the disk writes a file of this name.
  mkdirSync(join(folder, '.tmp-health'));
  await waitUntil('/health reports the disk', async () => (await status()) === 503);
  await daemon.setClock(-jump(hourMs, dayMs));
  rmdirSync(join(folder, '.tmp-health'));
  await waitUntil('/health is 200 again', async () => (await status()) === 200);
});

for (const isRestarted of [false, true]) {
  test(`a notification is retried, although the clock was set back${isRestarted ? ' before a restart' : ''}`, async () => {
    const folder = tempFolder();
    let isDown = true;
    const endpoint = await startWebhookEndpoint((response) => response.writeHead(isDown ? 503 : 204).end());
    try {
      const args = ['--files-root', folder];
      const data = join(folder, 'data');
      const daemon = await startShiftedDaemon(data, args);
      await create(daemon, { input: `file://${folder}/missing.mp4`, notifications: [endpoint.url('/')] });
      await waitUntil('the first attempt fails', () => daemon.logged().includes('Could not deliver'));
      const offsetMs = -jump(2 * hourMs, 30 * dayMs);
      await (isRestarted ? daemon.end('SIGKILL') : daemon.setClock(offsetMs));
      isDown = false;
      // Counted before the start: a daemon that takes long to start may have retried it when it is ready.
      const before = endpoint.received.length;
      if (isRestarted) await startShiftedDaemon(data, args, { offsetMs });
      await waitUntil('it is retried', () => endpoint.received.length > before);
    } finally {
      await endpoint.close();
    }
  });
}

test('a rate limit refills, although the clock was set back', async () => {
  const daemon = await startShiftedDaemon(tempFolder(), ['--jobs', '0', '--rate-limit', '60']);
  const status = async () => (await ask(daemon, '/v2/jobs')).status;
  while ((await status()) === 200);
  await daemon.setClock(-jump(hourMs, 30 * dayMs));
  await waitUntil('a request is granted', async () => {
    await pause(100);
    return (await status()) === 200;
  });
});

test('a daemon keeps its data folder, whatever the clocks say', async () => {
  const folder = tempFolder();
  const daemon = await startShiftedDaemon(folder, ['--jobs', '0'], { offsetMs: jump(hourMs, 30 * dayMs) });
  await daemon.setClock(-jump(hourMs, 30 * dayMs));
  const second = startContender(folder, { isNamespaced: false, env: {} });
  assert.is(await second.ended, 6, second.logged());
  await create(daemon, { input });
});

test('a running job is not affected by the clock, and its times are in order', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('320x240', 3));
  const daemon = await startShiftedDaemon(join(folder, 'data'), ['--files-root', folder, '--jobs', '1']);
  const id = await create(daemon, {
    input: `file://${folder}/in.mp4`,
    outputs: [{ width: 640, upscale: true, speed: 1 }],
  });
  const job = async () => ((await (await ask(daemon, `/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
  await waitUntil('it runs', async () => (await job()).state === 'processing');
  await daemon.setClock(jump(dayMs, 30 * dayMs));
  await pause(100);
  await daemon.setClock(-jump(dayMs, 30 * dayMs));
  await waitUntil('it has ended', async () => isFinal((await job()).state));
  assert.is((await job()).state, 'finished');
});

test.run();
