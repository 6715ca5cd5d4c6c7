import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type JobRequestParseResult, parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { input, limits } from './reading.js';

function unknownFields({ warnings }: JobRequestParseResult): readonly string[] {
  for (const { message } of warnings) assert.match(message, 'is not known and was ignored');
  return warnings.map(({ field }) => field);
}

test('unknown fields are listed by their paths and change nothing', () => {
  const parseRequest = parseJobRequest(
    {
      input,
      api_key: 'x',
      colour: 1,
      'two\nlines': 2,
      outputs: [{}, { spede: 1, watermark: [{ url: input, z: { deep: 1 } }], thumbnails: { grid: 1 } }],
    },
    limits,
  );
  assert.ok(parseRequest.ok);
  assert.equal(unknownFields(parseRequest), [
    'colour',
    '"two\\nlines"',
    'outputs[1].watermark[0].z',
    'outputs[1].thumbnails.grid',
    'outputs[1].spede',
  ]);
});

test('field names that every object inherits are neither read nor written', () => {
  const body: unknown = JSON.parse(
    `{"input":"${input}","__proto__":{"test":1},"constructor":{},"outputs":[{"__proto__":{"speed":9},"toString":1}]}`,
  );
  const parseRequest = parseJobRequest(body, limits);
  assert.ok(parseRequest.ok);
  assert.equal(parseRequest.request, { input, outputs: [{}] });
  assert.equal(unknownFields(parseRequest), [
    '__proto__',
    'constructor',
    'outputs[0].__proto__',
    'outputs[0].toString',
  ]);
  assert.is(Reflect.get({}, 'test'), undefined);
  assert.not.ok(parseJobRequest(Object.create({ input }), limits).ok);
});

test('a deeply nested request is read without harm', () => {
  let nested: unknown = 5;
  for (let depth = 0; depth < 100_000; depth += 1) nested = depth % 2 === 0 ? [nested] : { nested };
  const names = [
    'speed',
    'label',
    'watermark',
    'thumbnails',
    'access_control',
    'notifications',
    'nobody_knows',
  ];
  for (const name of names) {
    assert.type(parseJobRequest({ input, outputs: [{ [name]: nested }] }, limits).ok, 'boolean');
  }
  const url = 'http://example.com/done';
  assert.not.ok(parseJobRequest({ input, notifications: { url, headers: nested } }, limits).ok);
  assert.not.ok(parseJobRequest(nested, limits).ok);
});

test.run();
