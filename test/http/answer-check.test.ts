import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAnswer, type GivenAnswer } from '../helpers/answer-check.js';
import { checkAnswersOf } from '../helpers/checked-fetch.js';
import { coverageTable } from '../helpers/coverage-table.js';

const base = 'http://127.0.0.1:8686';
const types = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  jsonp: 'application/javascript; charset=utf-8',
} as const;

/** A response to a GET with a JSON body, unless overridden. */
function answer(
  path: string,
  body: unknown,
  more: Partial<GivenAnswer> = {},
  headers: Record<string, string> = {},
): GivenAnswer {
  return {
    method: 'GET',
    url: `${base}${path}`,
    status: 200,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
    headers: new Headers({ 'Access-Control-Allow-Origin': '*', 'Content-Type': types.json, ...headers }),
  };
}

const file = {
  id: 8,
  url: 'http://example.com/in.mp4',
  format: null,
  duration_in_ms: null,
  file_size_in_bytes: null,
  total_bitrate_in_kbps: 800,
  video_codec: 'h264',
  video_bitrate_in_kbps: null,
  width: 640,
  height: 360,
  frame_rate: 29.97,
  audio_codec: null,
  audio_bitrate_in_kbps: null,
  audio_sample_rate: null,
  channels: '2',
  error_class: null,
  error_message: null,
  job_id: 7,
  state: 'finished',
  privacy: false,
};
const input = { ...file, md5_checksum: null };
const { channels: _channels, ...shorter } = input;
const progress = {
  state: 'processing',
  current_event: 'downloading',
  current_event_progress: 4.5,
  progress: 1.25,
};
const errors = { errors: ['There is no input with the id 8.'] };
const xml = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<api-response>${inside}</api-response>`;
const ofScript = { 'Content-Type': types.jsonp, 'X-Content-Type-Options': 'nosniff' };
const ofList = { 'X-Total-Count': '0', Link: `<${base}/v2/jobs?page=1>; rel="first"` };

const fine: readonly (readonly [string, GivenAnswer, string, string])[] = [
  ['a record', answer('/v2/inputs/8', input), 'inputDetails', 'json'],
  ['a record below /api', answer('/api/v2//inputs/8.json/', input), 'inputDetails', 'json'],
  [
    'a record without optional fields',
    answer('/v2/inputs/8/progress', { state: 'waiting', progress: 0 }),
    'inputProgress',
    'json',
  ],
  [
    'a script',
    answer('/v2/inputs/8.js?callback=my.call', `my.call(${JSON.stringify(file)})`, {}, ofScript),
    'inputDetails',
    'jsonp',
  ],
  [
    'a script with its own callback',
    answer('/v2/inputs/8/progress.js', `progress(${JSON.stringify(progress)})`, {}, ofScript),
    'inputProgress',
    'jsonp',
  ],
  [
    'XML',
    answer(
      '/v2/inputs/8/progress.xml',
      xml(
        '<state>processing</state><current_event>downloading</current_event><current_event_progress type="float">4.5</current_event_progress><progress type="float">1</progress>',
      ),
      {},
      { 'Content-Type': types.xml },
    ),
    'inputProgress',
    'xml',
  ],
  ['an empty list', answer('/v2/jobs', [], {}, ofList), 'listJobs', 'json'],
  [
    'an empty list in XML',
    answer('/v2/jobs.xml', xml('<jobs type="array"/>'), {}, { ...ofList, 'Content-Type': types.xml }),
    'listJobs',
    'xml',
  ],
  ['an error', answer('/v2/inputs/8', errors, { status: 404 }), 'inputDetails', 'json'],
  ['an unknown address', answer('/v3/jobs', errors, { status: 404 }), 'no route', 'json'],
  [
    'a wrong method',
    answer('/v2/jobs/8', errors, { method: 'POST', status: 405 }, { Allow: 'GET, HEAD, OPTIONS' }),
    'no route',
    'json',
  ],
  ['a preflight', { ...answer('/v2/jobs', '', { method: 'OPTIONS', status: 204 }) }, 'no route', 'json'],
  ['a HEAD', answer('/v2/inputs/8', '', { method: 'HEAD' }), 'inputDetails', 'json'],
  ['a cancel by GET', answer('/v2/jobs/7/cancel', '', { status: 204 }), 'cancelJob', 'json'],
];

for (const [what, given, route, representation] of fine) {
  test(`${what} matches the document`, () => {
    assert.equal(checkAnswer(given), { route, representation, status: given.status });
  });
}

const wrong: readonly (readonly [string, GivenAnswer, RegExp])[] = [
  ['one field too many', answer('/v2/inputs/8', { ...input, colour: 'red' }), /colour/],
  ['one field too few', answer('/v2/inputs/8', shorter), /channels/],
  [
    'a field of another type',
    answer('/v2/inputs/8', { ...input, width: '640' }),
    /\.width must be integer,null/,
  ],
  ['a fraction for an integer', answer('/v2/inputs/8', { ...input, width: 640.5 }), /\.width/],
  ['null in a required field', answer('/v2/inputs/8', { ...input, privacy: null }), /\.privacy/],
  ['an unknown state', answer('/v2/inputs/8', { ...input, state: 'asleep' }), /\.state/],
  ['an unknown error class', answer('/v2/inputs/8', { ...input, error_class: 'OopsError' }), /\.error_class/],
  ['another record', answer('/v2/inputs/8', errors), /errors/],
  [
    'a status that the operation does not have',
    answer('/v2/inputs/8', errors, { status: 409 }),
    /none of those of inputDetails/,
  ],
  [
    'an internal error of the daemon',
    answer('/v2/inputs/8', errors, { status: 500 }),
    /none of those of inputDetails/,
  ],
  ['another success status', answer('/v2/inputs/8', input, { status: 201 }), /none of those/],
  ['success at an unknown address', answer('/v3/jobs', {}), /must be 404/],
  ['success with a wrong method', answer('/v2/jobs/8', input, { method: 'POST' }), /must be 405/],
  [
    'a wrong method without Allow',
    answer('/v2/jobs/8', errors, { method: 'POST', status: 405 }),
    /Allow is missing/,
  ],
  ['no body', answer('/v2/inputs/8', ''), /empty/],
  ['an error without a body', answer('/v2/inputs/8', '', { status: 404 }), /empty/],
  [
    'a body in a response without one',
    answer('/v2/jobs/7/cancel', errors, { method: 'PUT', status: 204 }),
    /no body/,
  ],
  ['a body for HEAD', answer('/v2/inputs/8', input, { method: 'HEAD' }), /HEAD has no body/],
  ['HTML', answer('/v2/inputs/8', '<p>', { status: 404 }, { 'Content-Type': 'text/html' }), /text\/html/],
  [
    'a type without its charset',
    answer('/v2/inputs/8', input, {}, { 'Content-Type': 'application/json' }),
    /exactly/,
  ],
  [
    'XML at .json',
    answer('/v2/inputs/8.json', xml(''), {}, { 'Content-Type': types.xml }),
    /application\/xml/,
  ],
  ['JSON at .xml', answer('/v2/inputs/8.xml', input), /application\/json/],
  ['no JSON', answer('/v2/inputs/8', '{'), /cannot be read/],
  ['a list without its total', answer('/v2/jobs', [], {}, { Link: ofList.Link }), /X-Total-Count is missing/],
  [
    'a list with an invalid total',
    answer('/v2/jobs', [], {}, { ...ofList, 'X-Total-Count': 'many' }),
    /X-Total-Count/,
  ],
  [
    'a busy daemon without Retry-After',
    answer('/v2/jobs', errors, { method: 'POST', status: 503 }),
    /Retry-After/,
  ],
  [
    'a response without CORS headers',
    { ...answer('/v2/inputs/8', input), headers: new Headers({ 'Content-Type': types.json }) },
    /Access-Control-Allow-Origin/,
  ],
  [
    'a checksum in a script',
    answer('/v2/inputs/8.js', `input(${JSON.stringify(input)})`, {}, ofScript),
    /md5_checksum/,
  ],
  [
    'a script with another callback',
    answer('/v2/inputs/8.js?callback=a', `b(${JSON.stringify(file)})`, {}, ofScript),
    /callback is b/,
  ],
  [
    'a script without nosniff',
    answer('/v2/inputs/8.js', `input(${JSON.stringify(file)})`, {}, { 'Content-Type': types.jsonp }),
    /X-Content-Type-Options/,
  ],
  ['no script', answer('/v2/inputs/8.js', JSON.stringify(file), {}, ofScript), /not a call/],
  [
    'XML without types',
    answer(
      '/v2/inputs/8/progress.xml',
      xml('<state>waiting</state><progress>0</progress>'),
      {},
      { 'Content-Type': types.xml },
    ),
    /\.progress must be number/,
  ],
  [
    'XML with one element too many',
    answer(
      '/v2/inputs/8/progress.xml',
      xml('<state>waiting</state><progress type="float">0</progress><a/>'),
      {},
      { 'Content-Type': types.xml },
    ),
    /"a"/,
  ],
  [
    'XML that is none',
    answer('/v2/inputs/8/progress.xml', '<api-response>', {}, { 'Content-Type': types.xml }),
    /cannot be read/,
  ],
];

for (const [what, given, validationError] of wrong) {
  test(`${what} is detected`, () => {
    assert.throws(() => checkAnswer(given), validationError);
  });
}

test('fetch rejects on a response that does not match the document, from a registered address and while it is registered', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': types.json, 'Access-Control-Allow-Origin': '*' });
    response.end('{"name":"venc","version":"0.1.0","colour":"red"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/version`;
  const forget = checkAnswersOf(url);
  const failure = await fetch(url).catch((error: unknown) => error);
  forget();
  const answered = await fetch(new URL(url));
  assert.match(String(failure), /colour/);
  assert.match(await answered.text(), 'red');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('responses are counted by route, format and status, and missing ones are listed', () => {
  const seen = [
    { route: 'version', representation: 'json', status: 200 },
    { route: 'version', representation: 'xml', status: 200 },
    { route: 'version', representation: 'json', status: 200 },
  ];
  const lines = coverageTable(seen.map((line) => `${JSON.stringify(line)}\n`).join('')).split('\n');
  assert.match(lines.find((line) => line.startsWith('version')) ?? '', /json 200 \(2\), xml 200 \(1\)$/);
  assert.match(lines.find((line) => line.startsWith('health')) ?? '', /never asked for$/);
});

test.run();
