import { Validator } from '@seriousme/openapi-schema-validator';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenApiDocument } from '../../daemon/http/openapi/document-types.js';
import { schemaErrors } from '../helpers/answers/document.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';

const test = suite<{ daemon: TestDaemon; proxied: TestDaemon }>('openapi.json');

test.before(async (context) => {
  context.daemon = await startTestDaemon({ jobs: 0, maxOutputs: 3 });
  context.proxied = await startTestDaemon({ jobs: 0, publicUrl: 'https://encode.example.com/venc/' });
});
test.after(async ({ daemon, proxied }) => {
  await daemon.stop();
  await proxied.stop();
});

const read = async (url: string) => (await (await fetch(url)).json()) as OpenApiDocument;

test('it is served without a key, as valid OpenAPI, and names the requested address', async ({ daemon }) => {
  const response = await fetch(`${daemon.url}/openapi.json`);
  const document = (await response.json()) as OpenApiDocument & Record<string, unknown>;
  assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.is(document.servers[0]?.url, daemon.url);
  assert.is(document.components.schemas.CreateJobRequest?.properties?.outputs?.anyOf?.[0]?.maxItems, 3);
  assert.ok((await new Validator().validate(document)).valid);
});

test('it is the same below /api and on each request', async ({ daemon }) => {
  const first = await (await fetch(`${daemon.url}/openapi.json`)).text();
  assert.is(await (await fetch(`${daemon.url}/openapi.json`)).text(), first);
  assert.is(await (await fetch(`${daemon.url}/api/openapi.json`)).text(), first);
});

test('HEAD returns its length', async ({ daemon }) => {
  const response = await fetch(`${daemon.url}/openapi.json`, { method: 'HEAD' });
  const text = await (await fetch(`${daemon.url}/openapi.json`)).text();
  assert.is(response.headers.get('content-length'), String(Buffer.byteLength(text)));
});

test('it names the public address if the daemon has one', async ({ proxied }) => {
  assert.is((await read(`${proxied.url}/openapi.json`)).servers[0]?.url, 'https://encode.example.com/venc');
});

test('each daemon serves its own document', async ({ daemon, proxied }) => {
  const [mine, other] = [await read(`${daemon.url}/openapi.json`), await read(`${proxied.url}/openapi.json`)];
  assert.is(other.components.schemas.CreateJobRequest?.properties?.outputs?.anyOf?.[0]?.maxItems, 50);
  assert.equal(other.paths, mine.paths);
});

test('the records of events match the document, including the final event', async ({ daemon }) => {
  const id = await daemon.create({ input: 'http://127.0.0.1:9/nothing.mp4' });
  const stream = await daemon.request(`/v2/jobs/${id}/events`);
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  const text = await stream.text();
  const records = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown);
  assert.ok(records.length > 0, text);
  for (const record of records) {
    assert.equal(schemaErrors({ $ref: '#/components/schemas/JobProgressAnswer' }, record, 'data'), []);
  }
  const lastId = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  const again = await daemon.request(`/v2/jobs/${id}/events`, { headers: { 'Last-Event-ID': lastId } });
  assert.is(again.status, 204);
});

test.run();
