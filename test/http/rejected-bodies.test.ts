import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { daemonSuite } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';

const test = daemonSuite('bodies of creates', { jobs: 0 });

const input = 'http://127.0.0.1:9/nothing.mp4';
const valid = JSON.stringify({ input });

const json = { 'Content-Type': 'application/json' };
const xml = { 'Content-Type': 'application/xml' };
const bodies: readonly (readonly [string, RequestInit['body'] & {}, Record<string, string>, number])[] = [
  ['broken JSON', '{"input": ', json, 400],
  ['two JSON values', '{}{}', json, 400],
  ['a lone quote', '"', json, 400],
  ['broken XML', '<api-request><input>', xml, 400],
  ['XML with another root', '<job><input/></job>', xml, 400],
  ['a DTD', '<!DOCTYPE a [<!ENTITY b "c">]><api-request><input>&b;</input></api-request>', xml, 400],
  ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), json, 400],
  ['broken gzip', 'not gzip', { ...json, 'Content-Encoding': 'gzip' }, 400],
  ['gzip cut short', gzipSync(valid).subarray(0, 20), { ...json, 'Content-Encoding': 'gzip' }, 400],
  ['a body beyond 1 MiB', `{"input": "${'x'.repeat(1024 * 1024)}"}`, json, 413],
  ['1 MiB and one byte of blanks', `${valid}${' '.repeat(1024 * 1024 - valid.length + 1)}`, json, 413],
  ['gzip that grows beyond 1 MiB', gzipSync(' '.repeat(2 ** 21)), { 'Content-Encoding': 'gzip' }, 413],
  ['plain text', 'input: a.mp4', { 'Content-Type': 'text/plain' }, 415],
  ['a form', 'input=a.mp4', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
  ['another encoding', valid, { ...json, 'Content-Encoding': 'br' }, 415],
  ['an unknown charset', valid, { 'Content-Type': 'application/json; charset=klingon' }, 415],
  ['an empty body', '', json, 422],
  ['null', 'null', json, 422],
  ['a number', '7', json, 422],
  ['a list', '[]', json, 422],
  ['no input', '{}', json, 422],
  ['lists in lists', '['.repeat(100_000) + ']'.repeat(100_000), json, 422],
  ['output together with outputs', JSON.stringify({ input, output: {}, outputs: [{}] }), json, 422],
  ['no video and no audio', JSON.stringify({ input, output: { skip_video: 1, skip_audio: '1' } }), json, 422],
  ['labels twice', JSON.stringify({ input, outputs: [{ label: 'a' }, { label: 'a' }] }), json, 422],
];

for (const path of ['/v2/jobs', '/jobs', '/api/v2/jobs.xml']) {
  for (const [what, body, headers, status] of bodies) {
    test(`a create at ${path} of ${what} is ${status}`, async ({ daemon }) => {
      const init = { method: 'POST', body, headers: { ...headers, 'Service-Api-Key': daemon.key } };
      await fetchRejection(`${daemon.url}${path}`, init, status, path.endsWith('.xml') ? 'xml' : 'json');
    });
  }
}

test('a body of exactly 1 MiB is accepted', async ({ daemon }) => {
  const body = valid + ' '.repeat(1024 * 1024 - valid.length);
  assert.is((await daemon.request('/v2/jobs', { method: 'POST', body })).status, 201);
  const packed = { method: 'POST', body: gzipSync(body), headers: { 'Content-Encoding': 'gzip' } };
  assert.is((await daemon.request('/v2/jobs', packed)).status, 201);
});

test('the error for a compressed body that is too large names the limit of the decompressed body', async ({
  daemon,
}) => {
  const body = gzipSync(Buffer.alloc(3 * 1024 * 1024, '0123456789abcdef'), { level: 0 });
  const packed = { method: 'POST', body, headers: { 'Content-Encoding': 'gzip' } };
  const response = await daemon.request('/v2/jobs', packed);
  assert.equal(await response.json(), { errors: ['The body is larger than 1048576 bytes.'] });
});

test.run();
