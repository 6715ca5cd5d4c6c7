import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { editorSchema } from '../../src/shared/settings/schema/editor-schema.js';
import { runInProcess } from './run-here.js';

test('venc schema prints the JSON Schema of a request file', async () => {
  const { code, stdout, stderr } = await runInProcess(['schema']);
  assert.is(code, 0);
  assert.is(stderr, '');
  assert.equal(JSON.parse(stdout), JSON.parse(JSON.stringify(editorSchema(50))));
});

test('it takes no arguments', async () => {
  const { code, stderr } = await runInProcess(['schema', 'request.json']);
  assert.is(code, 2);
  assert.match(stderr, 'schema');
});

test.run();
