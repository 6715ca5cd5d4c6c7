import { execFileSync } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type * as declared from '../../src/rest-client/declarations.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { client, rejection } from '../helpers/rest-client.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  folder: string;
  venc: declared.Venc;
}

const test = daemonSuite<Context>(
  'venc/client and a daemon',
  async (context) => {
    context.folder = tempFolder();
    const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await makeMedia(join(context.folder, 'film.mp4'), [...testVideo('160x90', 25, 1), ...encoder]);
    await makeMedia(join(context.folder, 'long.mp4'), [...testVideo('640x360', 25, 60), ...encoder]);
    return { filesRoots: [context.folder] };
  },
  async (context) => {
    context.venc = new client.Venc({ url: `${context.daemon.url}/v2/`, key: context.daemon.key });
  },
);

test('a file is uploaded in parts and encoded, and its records are read', async ({ venc, folder }) => {
  const received: number[] = [];
  const film = await openAsBlob(join(folder, 'film.mp4'));
  const { url } = await venc.uploads.put('Film größer 1.mp4', film, {
    part_size: 10_000,
    on_progress: (progress) => received.push(progress.received),
  });
  assert.ok(received.length > 1, 'several parts');
  assert.is(received.at(-1), film.size);
  const created = await venc.jobs.create({
    input: url,
    outputs: [{ label: 'Netz', width: '64', widht: 3 } as never],
  });
  assert.match(created.warnings?.[0]?.field ?? '', 'widht');
  const seen: declared.JobEvent[] = [];
  const job = await venc.jobs.wait(created, { on_progress: (progress) => seen.push(progress) });
  assert.is(job.state, 'finished');
  assert.equal([seen.at(-1)?.id, seen.at(-1)?.progress], [job.id, 100]);
  const [output] = job.output_media_files;
  const details = await venc.outputs.get(output?.id ?? 0);
  assert.equal([details.label, details.width, details.state], ['Netz', 64, 'finished']);
  assert.is((await venc.inputs.get(job.input_media_file.id)).width, 160);
  assert.is((await venc.outputs.progress(details.id)).progress, 100);
  assert.is((await venc.inputs.progress(job.input_media_file.id)).state, 'finished');
  assert.is((await venc.jobs.progress(job)).state, 'finished');
  const page = await venc.jobs.list({ state: 'finished', per_page: 5 });
  assert.ok(page.jobs.some(({ id }) => id === job.id) && (page.total ?? 0) > 0);
  assert.is((await rejection(venc.jobs.cancel(job))).name, 'ConflictError');
  await venc.jobs.remove(job);
  assert.is((await rejection(venc.jobs.get(job))).name, 'NotFoundError');
});

test('bytes and streams are uploaded as well, and an empty file', async ({ venc }) => {
  const bytes = new Uint8Array(50_000).map((_, index) => index % 251);
  const stream = new Blob([bytes]).stream();
  for (const [source, size] of [
    [bytes, undefined],
    [bytes.buffer, undefined],
    [stream, bytes.length],
    [chunks(bytes), bytes.length],
    [new Blob([]), undefined],
  ] as const) {
    const { url } = await venc.uploads.put('a.bin', source, { size, part_size: 20_000 });
    assert.match(url, /^upload:/);
  }
  assert.is((await rejection(venc.uploads.put('a.bin', chunks(bytes)))).field, 'size');
});

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 7000) yield bytes.subarray(start, start + 7000);
}

test('jobs are followed, cancelled and run again', async ({ venc, folder }) => {
  const request = { input: `file://${folder}/long.mp4`, outputs: [{ speed: 1, width: 1280 }] };
  const [first, second] = [await venc.jobs.create(request), await venc.jobs.create(request)];
  const states = new Map<number, string>();
  let isCancelled = false;
  for await (const { id, state, progress } of venc.jobs.events([first, second])) {
    states.set(id, state);
    if (isCancelled || progress === 0) continue;
    isCancelled = true;
    for (const one of [first, second]) await venc.jobs.cancel(one);
  }
  assert.equal([...states.values()], ['cancelled', 'cancelled']);
  await venc.jobs.resubmit(second);
  await venc.jobs.cancel(second);
});

test('the events of all jobs end when the loop is left', async ({ venc, folder }) => {
  const found: number[] = [];
  const events = venc.jobs.events();
  const next = events.next();
  const { id } = await venc.jobs.create({ input: `file://${folder}/film.mp4`, outputs: [{ width: 32 }] });
  for (const changes of [(await next).value]) found.push(...(changes?.jobs.map((job) => job.id) ?? []));
  for await (const { jobs } of events) {
    found.push(...jobs.map((job) => job.id));
    if (found.includes(Number(id))) break;
  }
  assert.is((await events.next()).done, true);
});

test('a failed job is returned, and a job that does not exist is an error', async ({ venc, folder }) => {
  const created = await venc.jobs.create({ input: `file://${folder}/missing.mp4` });
  const job = await venc.jobs.wait(created);
  assert.equal([job.state, job.input_media_file.error_class], ['failed', 'FileNotFoundError']);
  assert.is((await rejection(venc.jobs.wait(99_999))).name, 'NotFoundError');
});

test('a request that is not valid names its fields', async ({ venc }) => {
  const error = await rejection(venc.jobs.create({ input: 'x', outputs: [{ width: 1, speed: 9 }] }));
  assert.ok(error instanceof client.InvalidRequestError);
  assert.ok(error.messages.length >= 2 && error.field !== null, error.message);
});

test('two creates with one idempotency key make one job, and a mock makes none', async ({ venc, folder }) => {
  const request = { input: `file://${folder}/film.mp4`, outputs: [{ width: 32 }] };
  const options = { idempotency_key: `film-${Date.now()}` };
  const ids = [await venc.jobs.create(request, options), await venc.jobs.create(request, options)];
  assert.is(ids[0]?.id, ids[1]?.id);
  assert.is((await rejection(venc.jobs.create({ ...request, test: true }, options))).name, 'ConflictError');
  const mock = await venc.jobs.create({ ...request, mock: true });
  assert.is(mock.id, null);
  assert.match((await rejection(venc.jobs.wait(mock))).hint ?? '', 'mock');
});

test('presets are saved, read, listed and removed, and reports are read', async ({ venc }) => {
  await venc.presets.save('klein', { outputs: [{ width: 320 }] });
  assert.is((await venc.presets.get('klein')).name, 'klein');
  assert.ok((await venc.presets.list()).presets.some(({ name }) => name === 'klein'));
  await venc.presets.remove('klein');
  assert.is((await rejection(venc.presets.get('klein'))).name, 'NotFoundError');
  assert.type((await venc.reports.all()).total.vod.encoded_minutes, 'number');
  assert.type((await venc.reports.vod({ grouping: 'x' })).total.encoded_minutes, 'number');
  assert.type((await venc.reports.live()).total.stream_hours, 'number');
  assert.is((await venc.version()).name, 'venc');
});

test('a wrong key is an error that does not show it', async ({ daemon }) => {
  const venc = new client.Venc({ url: daemon.url, key: 'a-wrong-key-indeed' });
  const error = await rejection(venc.jobs.list());
  assert.equal([error.name, error.code], ['UnauthorizedError', 'unauthorized']);
  assert.not.match(`${error.message} ${error.hint}`, 'a-wrong-key');
});

test('the signature of a real notification is verified', async ({ venc, folder, daemon }) => {
  const show = ['bin/venc.js', 'accounts', 'show', 'default', '--secret', '--data', daemon.dataFolder];
  const secret = /whsec_\S+/.exec(execFileSync(process.execPath, show, { encoding: 'utf8' }))?.[0] ?? '';
  const server = createServer();
  const received = new Promise<declared.ReceivedNotification>((resolve) =>
    server.once('request', async (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.end();
      resolve({ headers: request.headers, body: Buffer.concat(parts) });
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { id } = await venc.jobs.create({ input: `file://${folder}/missing.mp4`, notifications: hook });
  const notification = await client.verifyNotification(await received, secret);
  assert.is(String(notification.job.id), id);
  server.close();
});

test.run();
