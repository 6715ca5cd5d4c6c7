import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';

const test = daemonSuite('idempotency keys', { jobs: 0 });

const input = 'http://127.0.0.1:9/nothing.mp4';
const request = { input, outputs: [{ width: 640, label: 'web' }] };
const withKey = (key: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'Idempotency-Key': key, ...headers },
});

async function created(daemon: TestDaemon, key: string, body: unknown = request): Promise<CreatedRecord> {
  const response = await daemon.request('/v2/jobs', withKey(key, body));
  const text = await response.text();
  assert.is(response.status, 201, text);
  return JSON.parse(text) as CreatedRecord;
}

test('a repeated create returns the first job, whatever its state', async ({ daemon }) => {
  const first = await created(daemon, 'a');
  await daemon.request(`/v2/jobs/${first.id}/cancel`, { method: 'PUT' });
  assert.equal(await created(daemon, 'a'), first);
  assert.equal(await created(daemon, 'a'), first);
});

test('an equal request in another notation is the same request', async ({ daemon }) => {
  const first = await created(daemon, 'b');
  const spelt = { output: { label: 'web', width: '640' }, api_key: daemon.key, input };
  assert.equal(await created(daemon, 'b', spelt), first);
  const xml = `<api-request><input>${input}</input><output><width>640</width><label>web</label></output></api-request>`;
  const response = await daemon.request('/v2/jobs', withKey('b', xml, { 'Content-Type': 'application/xml' }));
  assert.equal(await response.json(), first);
});

test('another request under the same key is a conflict that names the job', async ({ daemon }) => {
  const first = await created(daemon, 'c');
  const response = await daemon.request('/v2/jobs', withKey('c', { ...request, test: 1 }));
  const { errors } = (await response.json()) as ErrorsRecord;
  assert.is(response.status, 409);
  assert.match(errors.join(), `job ${first.id}`);
});

test('requests with other keys, and without one, make other jobs', async ({ daemon }) => {
  const ids = [await created(daemon, 'd'), await created(daemon, 'e')].map(({ id }) => Number(id));
  ids.push(await daemon.create(request), await daemon.create(request));
  assert.is(new Set(ids).size, 4);
});

test('of many concurrent creates with one key, one makes a job', async ({ daemon }) => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => created(daemon, 'f')));
  assert.is(new Set(answers.map(({ id }) => id)).size, 1);
});

test('a rejected request does not use its key', async ({ daemon }) => {
  const response = await daemon.request('/v2/jobs', withKey('g', { input, outputs: [{ width: 1 }] }));
  assert.is(response.status, 422);
  await created(daemon, 'g');
});

test('a mock does not use its key', async ({ daemon }) => {
  assert.is((await created(daemon, 'h', { ...request, mock: true })).id, null);
  assert.type((await created(daemon, 'h')).id, 'string');
});

for (const key of ['', 'x'.repeat(256)]) {
  test(`a key of ${key.length} characters is rejected`, async ({ daemon }) => {
    const response = await daemon.request('/v2/jobs', withKey(key, request));
    assert.is(response.status, 422);
    assert.match(((await response.json()) as ErrorsRecord).errors.join(), 'Idempotency-Key');
  });
}

test('a key survives a kill of the daemon', async () => {
  const dataFolder = join(tempFolder(), 'data');
  const post = async (url: string, body: unknown = request) => {
    const init = withKey('once', body, { 'Service-Api-Key': processKey });
    const response = await fetch(`${url}/v2/jobs`, init);
    return { status: response.status, record: (await response.json()) as CreatedRecord };
  };
  const first = await startDaemonProcess(dataFolder, ['--jobs', '0']);
  const made = await post(first.url);
  await first.end('SIGKILL');
  const second = await startDaemonProcess(dataFolder, ['--jobs', '0']);
  assert.is((await post(second.url)).record.id, made.record.id);
  assert.is((await post(second.url, { ...request, test: 1 })).status, 409);
  await second.end('SIGTERM');
});

test.run();
