import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  data: string;
  daemon: DaemonProcess;
  venc: (...words: string[]) => ReturnType<typeof runCli>;
  ask: (method: string, path: string, key?: string) => Promise<Response>;
  create: (input: string) => Promise<number>;
}

const test = suite<Context>('venc rm and venc prune');
test.after(killDaemons);

async function begin(context: Context, data = tempFolder(), args: readonly string[] = []) {
  const files = join(await media('clip.mp4'), '..');
  const daemon = await startDaemonProcess(data, ['--files-root', files, '--grace', '0', ...args]);
  const headers = { 'Service-Api-Key': processKey, 'Content-Type': 'application/json' };
  Object.assign(context, {
    data,
    daemon,
    venc: (...words: string[]) => runCli(words, { env: { VENC_URL: daemon.url, VENC_API_KEY: processKey } }),
    ask: (method: string, path: string) => fetch(daemon.url + path, { method, headers }),
    create: async (input: string) => {
      const body = JSON.stringify({
        input,
        outputs: [{ width: 64, clip_length: 0.2, thumbnails: { number: 1 } }],
      });
      const answer = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
      return ((await answer.json()) as { id: number }).id;
    },
  });
}

test.before.each((context) => begin(context));
test.after.each(async ({ daemon }) => void (await daemon.end('SIGKILL')));

const hostedIn = (data: string) => readdirSync(join(data, 'hosted')).filter((name) => !name.startsWith('.'));

async function finishedJob({ ask, create }: Context) {
  const id = await create(`file://${await media('clip.mp4')}`);
  const state = async () =>
    ((await (await ask('GET', `/v2/jobs/${id}/progress`)).json()) as { state: string }).state;
  await waitUntil('the job is finished', async () => (await state()) === 'finished');
  return id;
}

test('rm removes the record and the hosted files permanently, and the usage remains after a rebuild', async (context) => {
  const id = await finishedJob(context);
  assert.is(hostedIn(context.data).length, 1);
  const today = new Date().toISOString().slice(0, 10);
  const report = async () => (await context.ask('GET', `/v2/reports/vod?from=${today}&to=${today}`)).text();
  const before = await report();
  const { code, stderr } = await context.venc('rm', String(id));
  assert.is(code, 0, stderr);
  assert.match(stderr, `venc: job ${id} is removed`);
  assert.equal(hostedIn(context.data), []);
  assert.not.ok(existsSync(join(context.data, 'jobs', 'done', '0', `${id}.json`)));
  for (const path of [`jobs/${id}`, `inputs/${id + 1}`, `outputs/${id + 2}`])
    assert.is((await context.ask('GET', `/v2/${path}`)).status, 404);
  assert.is((await context.ask('DELETE', `/v2/jobs/${id}`)).status, 404);
  assert.is(await report(), before);
  assert.is(await context.daemon.end('SIGTERM'), 0);
  await begin(context, context.data, ['--rebuild-usage']);
  assert.is(await report(), before);
  assert.match(before, /"encoded_minutes":[^,}]*[1-9]|"minutes":[^,}]*[1-9]|[1-9]/);
});

test('a job that has not ended is rejected with 409, and rm continues with the others and exits with 6', async (context) => {
  await context.daemon.end('SIGTERM');
  await begin(context, context.data, ['--jobs', '0']);
  const ids = [await context.create('http://127.0.0.1:9/a'), await context.create('http://127.0.0.1:9/b')];
  assert.is((await context.ask('DELETE', `/v2/jobs/${ids[0]}`)).status, 409);
  assert.is((await context.ask('PUT', `/v2/jobs/${ids[1]}/cancel`)).status, 204);
  const { code, stderr } = await context.venc('rm', ...ids.map(String), '999999');
  assert.is(code, 6, stderr);
  assert.match(stderr, `Job ${ids[0]} is waiting: only a job that has ended can be removed`);
  assert.match(stderr, `hint: cancel it first: venc cancel ${ids[0]}`);
  assert.match(stderr, `venc: job ${ids[1]} is removed`);
  assert.match(stderr, '999999');
  assert.is((await context.ask('GET', `/v2/jobs/${ids[0]}`)).status, 200);
});

test('prune removes jobs that ended longer ago than requested, and prints their number', async (context) => {
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    const id = await context.create(`http://127.0.0.1:9/${name}`);
    await context.ask('PUT', `/v2/jobs/${id}/cancel`);
    ids.push(id);
  }
  const young = await context.venc('prune', '--older-than', '1h', '--yes');
  assert.is(young.code, 0, young.stderr);
  assert.match(young.stderr, 'no jobs to prune');
  const dry = await context.venc('prune', '--older-than', '0s', '--dry-run');
  assert.equal(dry.stdout.trim().split('\n').sort(), ids.map(String).sort());
  assert.match(dry.stderr, '3 jobs would be removed');
  const withoutYes = await context.venc('prune', '--older-than', '0s');
  assert.is(withoutYes.code, 2);
  assert.match(withoutYes.stderr, '--yes');
  const { code, stderr } = await context.venc('prune', '--older-than', '0s', '--yes');
  assert.is(code, 0, stderr);
  assert.match(stderr, 'venc: 3 jobs removed');
  assert.is((await context.venc('list', '--json')).stdout.trim(), '[]');
  const wrong = await context.venc('prune', '--older-than', '30', '--yes');
  assert.is(wrong.code, 2);
  assert.match(wrong.stderr, /--older-than takes an age such as 12h, 30d or 2w, not "30"/);
});

test('prune and rm with --state remove only the jobs in these states', async (context) => {
  const finished = await finishedJob(context);
  // Otherwise the job may fail before it is cancelled.
  assert.is((await context.ask('PUT', '/v2/queue/pause')).status, 200);
  const cancelled = await context.create('http://127.0.0.1:9/a');
  assert.is((await context.ask('PUT', `/v2/jobs/${cancelled}/cancel`)).status, 204);
  const dry = async (states: string) =>
    (await context.venc('prune', '--older-than', '0s', '--dry-run', '--state', states)).stdout.trim();
  assert.is(await dry('cancelled'), String(cancelled));
  assert.is(await dry('failed'), '');
  assert.is(await dry('failed,finished'), String(finished));
  const { code, stderr } = await context.venc('prune', '--older-than', '0s', '--state', 'cancelled', '--yes');
  assert.is(code, 0, stderr);
  assert.match(stderr, '1 job removed');
  assert.is((await context.ask('GET', `/v2/jobs/${finished}`)).status, 200);
  const removed = await context.venc('rm', '--state', 'failed', '--state', 'finished', '--yes');
  assert.match(removed.stderr, `job ${finished} is removed`);
});

test('prune stops if the service becomes unreachable', async (context) => {
  for (let count = 0; count < 20; count += 1) {
    const id = await context.create('http://127.0.0.1:9/a');
    await context.ask('PUT', `/v2/jobs/${id}/cancel`);
  }
  const jobs: unknown = await (await context.ask('GET', '/v2/jobs')).json();
  await context.daemon.end('SIGKILL');
  const service = createServer((request, response) => {
    if (request.method === 'DELETE') request.socket.destroy();
    else response.end(JSON.stringify(jobs));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const { code, stderr } = await runCli(['prune', '--older-than', '0s', '--yes'], {
    env: { VENC_URL: url, VENC_API_KEY: processKey },
  });
  service.close();
  assert.is(code, 3, stderr);
  assert.ok((stderr.match(/^venc: Job \d+/gm) ?? []).length <= 8, stderr);
});

test.run();
