import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editorSchema } from '../../src/shared/settings/schema/editor-schema.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';

const test = suite<{ daemon: TestDaemon }>('schema.json');

test.before(async (context) => {
  context.daemon = await startTestDaemon({ jobs: 0, maxOutputs: 3 });
});
test.after(({ daemon }) => daemon.stop());

test('it is served without a key, with the number of outputs of the daemon, also below /api', async ({
  daemon,
}) => {
  for (const path of ['/v2/schema.json', '/api/v2/schema.json']) {
    const response = await fetch(`${daemon.url}${path}`);
    assert.is(response.status, 200);
    assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.is(response.headers.get('access-control-allow-origin'), '*');
    assert.equal(await response.json(), JSON.parse(JSON.stringify(editorSchema(3))));
  }
  const { status, headers } = await fetch(`${daemon.url}/v2/schema.json`, { method: 'HEAD' });
  assert.is(status, 200);
  assert.ok(Number(headers.get('content-length')) > 50_000);
});

test('other paths and methods are errors', async ({ daemon }) => {
  assert.is((await fetch(`${daemon.url}/v2/schema`)).status, 404);
  assert.is((await fetch(`${daemon.url}/v2/schema.xml`)).status, 404);
  assert.is((await fetch(`${daemon.url}/v2/schema.json`, { method: 'POST' })).status, 405);
});

test('a request may name its schema at the top level only, also in strict mode', async ({ daemon }) => {
  const $schema = 'http://127.0.0.1/v2/schema.json';
  const post = async (body: object) => {
    const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const input = 'http://127.0.0.1:9/film.mov';
  for (const strict of [true, false]) {
    const { status, text } = await post({ $schema, input, strict, outputs: [{ width: 64 }] });
    assert.is(status, 201, text);
    assert.not.match(text, 'schema');
  }
  const rejected = await post({ input, strict: true, outputs: [{ $schema, width: 64 }] });
  assert.is(rejected.status, 422);
  assert.match(rejected.text, 'outputs[0].\\"$schema\\" is not known');
  const warned = await post({ input, outputs: [{ $schema, width: 64 }] });
  assert.is(warned.status, 201);
  assert.match(warned.text, 'is not known and was ignored');
});

test.run();
