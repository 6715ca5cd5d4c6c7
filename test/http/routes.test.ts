import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { daemonSuite, startTestDaemon } from '../helpers/daemon.js';
import { tempFolder } from '../helpers/temp.js';

const root = tempFolder();
const test = daemonSuite('http', { jobs: 0, filesRoots: [root] });
const input = 'http://127.0.0.1:9/nothing.mp4';
const create = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
});

const statuses: readonly (readonly [string, string, RequestInit, number])[] = [
  ['a create with a valid body', '/v2/jobs', create({ input }), 201],
  ['a create below /api', '/api/v2/jobs', create({ input }), 201],
  ['a create with suffix, doubled slashes and a trailing slash', '//v2///jobs.json/', create({ input }), 201],
  [
    'a create with another content type',
    '/v2/jobs',
    create({ input }, { 'Content-Type': 'text/plain' }),
    201,
  ],
  ['a create of broken JSON', '/v2/jobs', create('{"input": ', { 'Content-Type': 'application/json' }), 400],
  ['a create of another type', '/v2/jobs', create('input: a', { 'Content-Type': 'text/plain' }), 415],
  [
    'a create of invalid JSON with a JSON content type',
    '/v2/jobs',
    create('no', { 'Content-Type': 'application/json' }),
    400,
  ],
  [
    'a create in an unsupported format',
    '/v2/jobs',
    create('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    415,
  ],
  ['a create in an unsupported encoding', '/v2/jobs', create('{}', { 'Content-Encoding': 'br' }), 415],
  ['a create without an input', '/v2/jobs', create({}), 422],
  ['a create without a body', '/v2/jobs', { method: 'POST' }, 422],
  ['a create with a list', '/v2/jobs', create([]), 422],
  ['a create of more than 1 MiB', '/v2/jobs', create(`{"input":"${'x'.repeat(1024 * 1024)}"}`), 413],
  ['a list', '/v2/jobs', {}, 200],
  ['a list of page 0', '/v2/jobs?page=0', {}, 422],
  ['a list with too many per page', '/v2/jobs?per_page=1000', {}, 200],
  ['a list with words for numbers', '/v2/jobs?per_page=ten', {}, 422],
  ['a list in an unknown state', '/v2/jobs?state=asleep', {}, 422],
  ['a list in any state', '/v2/jobs?state=', {}, 200],
  ['a missing job', '/v2/jobs/999999', {}, 404],
  ['an id beyond all limits', '/v2/jobs/99999999999999999999', {}, 404],
  ['an id that is not a number', '/v2/jobs/abc', {}, 404],
  ['a missing input', '/v2/inputs/999999.json', {}, 404],
  ['a missing output', '/v2/outputs/999999', {}, 404],
  ['progress of a missing output', '/v2/outputs/999999/progress.json', {}, 404],
  ['a cancel of a missing job', '/v2/jobs/999999/cancel', { method: 'PUT' }, 404],
  ['a resubmit of a missing job', '/v2/jobs/999999/resubmit', { method: 'PUT' }, 404],
  ['a missing hosted file', '/hosted/0123456789abcdef0123456789abcdef/a.mp4', {}, 404],
  [
    'a compressed upload',
    '/v2/uploads/a.mp4',
    { method: 'PUT', body: 'x', headers: { 'Content-Encoding': 'gzip' } },
    415,
  ],
  [
    'a partial upload',
    '/v2/uploads/a.mp4',
    { method: 'PUT', body: 'x', headers: { 'Content-Range': 'bytes 0-0/2' } },
    400,
  ],
  ['an upload with a slash in its name', '/v2/uploads/a%2Fb', { method: 'PUT', body: 'x' }, 422],
  ['an unknown path', '/v3/jobs', {}, 404],
  ['an unsupported format', '/v2/jobs.js', {}, 404],
  ['an unsupported format, with a wrong method', '/v2/jobs/1.js', { method: 'POST' }, 404],
  ['the health', '/health', {}, 200],
  ['the version', '/version', {}, 200],
  ['a wrong method', '/v2/jobs', { method: 'DELETE' }, 405],
  ['a wrong method on a job', '/v2/jobs/1', { method: 'POST' }, 405],
  ['OPTIONS', '/v2/jobs', { method: 'OPTIONS' }, 204],
];

for (const [what, path, init, status] of statuses) {
  test(`${what} is answered with ${status}, the right type and a body`, async ({ daemon }) => {
    const response = await daemon.request(path, init);
    const body = await response.text();
    assert.is(response.status, status, body);
    assert.is(response.headers.get('access-control-allow-origin'), '*');
    if (status === 204) return assert.is(body, '');
    assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8');
    if (status < 400) return;
    const { errors } = JSON.parse(body) as ErrorsRecord;
    assert.ok(errors.length > 0 && errors.every((sentence) => sentence.length > 10), body);
    if (status === 405) assert.match(response.headers.get('allow') ?? '', 'OPTIONS');
  });
}

test('two outputs with one destination are rejected', async ({ daemon }) => {
  const url = 'file:///srv/a.mp4';
  const response = await daemon.request(
    '/v2/jobs',
    create({ input, outputs: [{ url }, { url, label: 'b' }] }),
  );
  assert.is(response.status, 422);
});

test('an unsupported scheme is rejected with the supported schemes', async ({ daemon }) => {
  const response = await daemon.request('/v2/jobs', create({ input: 'gopher://example.com/a.mp4' }));
  const { errors } = (await response.json()) as ErrorsRecord;
  assert.is(response.status, 422);
  assert.match(errors.join(), /gopher/);
  assert.match(errors.join(), /http/);
});

test('clients may not use the schemes of hosted files and uploads as destinations', async ({ daemon }) => {
  const response = await daemon.request(
    '/v2/jobs',
    create({ input, outputs: [{ url: 'hosted://abc/a.mp4' }] }),
  );
  assert.is(response.status, 422);
});

test('a body may be compressed with gzip', async ({ daemon }) => {
  const body = gzipSync(JSON.stringify({ input }));
  const response = await daemon.request('/v2/jobs', {
    method: 'POST',
    body,
    headers: { 'Content-Encoding': 'gzip' },
  });
  assert.is(response.status, 201);
});

test('a mock is validated and not queued', async ({ daemon }) => {
  const before = (await daemon.request('/v2/jobs')).headers.get('x-total-count');
  const response = await daemon.request('/v2/jobs', create({ input, mock: '1', outputs: [{ label: 'a' }] }));
  assert.is(response.status, 201);
  assert.equal(await response.json(), { id: null, outputs: [{ id: null, label: 'a', url: null }] });
  assert.is((await daemon.request('/v2/jobs')).headers.get('x-total-count'), before);
});

test('the key is read from the header, its old name, the query or the body, in this order', async ({
  daemon,
}) => {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${daemon.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  const { key } = daemon;
  assert.is((await post('/v2/jobs', { input }, { 'Zencoder-Api-Key': key })).status, 201);
  assert.is((await post(`/v2/jobs?api_key=${key}`, { input })).status, 201);
  assert.is((await post('/v2/jobs', { input, api_key: key })).status, 201);
  assert.is((await post('/v2/jobs', { input, api_key: key }, { 'Service-Api-Key': 'wrong' })).status, 401);
  assert.is((await post('/v2/jobs', { input })).status, 401);
  assert.is((await post('/v2/jobs', 'no object')).status, 401);
});

test('a wrong key is 401 on collections and 404 on what has an id', async ({ daemon }) => {
  const id = await daemon.create({ input });
  assert.is((await fetch(`${daemon.url}/v2/jobs?api_key=wrong`)).status, 401);
  assert.is((await fetch(`${daemon.url}/v2/jobs/${id}?api_key=wrong`)).status, 404);
  assert.is((await fetch(`${daemon.url}/v2/jobs/${id}`)).status, 404);
  assert.is((await daemon.request(`/v2/jobs/${id}`)).status, 200);
});

test('a list has pages, newest first, with a total and links', async ({ daemon }) => {
  for (let count = 0; count < 3; count += 1) await daemon.create({ input });
  const response = await daemon.request('/v2/jobs?per_page=2&page=2');
  const jobs = (await response.json()) as readonly { job: { id: number; input_media_file: object } }[];
  const total = Number(response.headers.get('x-total-count'));
  assert.is(jobs.length, 2);
  assert.ok((jobs[0]?.job.id ?? 0) > (jobs[1]?.job.id ?? 0));
  assert.not('md5_checksum' in (jobs[0]?.job.input_media_file ?? {}));
  const link = response.headers.get('link') ?? '';
  assert.match(link, /page=1&per_page=2|per_page=2&page=1/);
  assert.match(link, 'rel="first"');
  assert.match(link, 'rel="prev"');
  assert.match(link, new RegExp(`page=${Math.ceil(total / 2)}[^>]*>; rel="last"`));
});

test('the links of a list begin with the public address, if one is configured', async () => {
  const daemon = await startTestDaemon({ jobs: 0, publicUrl: 'https://encode.example.com/base/' });
  const response = await daemon.request('/api/v2/jobs.json?state=waiting&api_key=secret');
  const page = 'https://encode.example.com/base/api/v2/jobs.json?state=waiting&page=1&per_page=50';
  assert.is(response.headers.get('link'), `<${page}>; rel="first", <${page}>; rel="last"`);
  await daemon.stop();
});

test('HEAD answers like GET without a body', async ({ daemon }) => {
  const response = await daemon.request('/v2/jobs', { method: 'HEAD' });
  assert.is(response.status, 200);
  assert.ok(response.headers.get('x-total-count'));
  assert.is(await response.text(), '');
});

test('a cancel accepts any method, and a second one is a conflict', async ({ daemon }) => {
  const id = await daemon.create({ input });
  assert.is((await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'DELETE' })).status, 204);
  assert.is((await daemon.request(`/v2/jobs/${id}/cancel.json`, { method: 'PUT' })).status, 409);
  const { job } = await daemon.read<{ job: { state: string; finished_at: string | null } }>(
    `/v2/jobs/${id}.json`,
  );
  assert.is(job.state, 'cancelled');
  assert.ok(job.finished_at);
});

test('a HEAD of a cancel cancels nothing', async ({ daemon }) => {
  const id = await daemon.create({ input });
  const response = await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'HEAD' });
  assert.is(response.status, 405);
  assert.is(response.headers.get('allow'), 'GET, POST, PUT, PATCH, DELETE, OPTIONS');
  const { job } = await daemon.read<{ job: { state: string } }>(`/v2/jobs/${id}`);
  assert.is(job.state, 'waiting');
});

for (const other of ['./a.mp4', '/a.mp4', '%61.mp4', 'b/../a.mp4']) {
  test(`two outputs for one file are rejected, even if the second is spelt ${other}`, async ({ daemon }) => {
    const outputs = [{ url: `file://${root}/a.mp4` }, { url: `file://${root}/${other}` }];
    const response = await daemon.request('/v2/jobs', create({ input, outputs }));
    assert.is(response.status, 422);
    assert.equal(await response.json(), {
      errors: ['outputs[1].url would write the same file as outputs[0]'],
    });
  });
}

test('a job can be resubmitted five times', async ({ daemon }) => {
  const id = await daemon.create({ input });
  for (let count = 0; count < 5; count += 1) {
    assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  }
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 403);
});

test('ids of jobs, inputs and outputs are distinct', async ({ daemon }) => {
  const id = await daemon.create({ input, outputs: [{}] });
  const { job } = await daemon.read<{
    job: { input_media_file: { id: number }; output_media_files: readonly { id: number }[] };
  }>(`/v2/jobs/${id}`);
  const inputId = job.input_media_file.id;
  const outputId = job.output_media_files[0]?.id ?? 0;
  const status = async (path: string) => (await daemon.request(path)).status;
  assert.is(await status(`/v2/inputs/${inputId}`), 200);
  assert.is(await status(`/v2/outputs/${outputId}`), 200);
  assert.is(await status(`/v2/jobs/${inputId}`), 404);
  assert.is(await status(`/v2/inputs/${outputId}`), 404);
  assert.is(await status(`/v2/outputs/${inputId}`), 404);
  assert.is(await status(`/v2/inputs/${id}`), 404);
});

test('responses contain an address with its user and without its password', async ({ daemon }) => {
  const id = await daemon.create({ input: 'http://anna:top%20secret@127.0.0.1:9/a.mp4' });
  const text = await (await daemon.request(`/v2/jobs/${id}`)).text();
  assert.match(text, 'anna@127.0.0.1');
  assert.not.match(text, 'secret');
  assert.not.match(daemon.logLines.join('\n'), 'secret');
});

test.run();
