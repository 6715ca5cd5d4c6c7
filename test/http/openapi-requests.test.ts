import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jobTable, outputTable } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/setting.js';
import { schemaErrors } from '../helpers/answers/document.js';
import { wrongValuesFor } from '../shared/wrong-values.js';

const input = 'http://example.com/in.mp4';
const requestSchema = { $ref: '#/components/schemas/CreateJobRequest' };
const schemaErrorsFor = (body: unknown) => schemaErrors(requestSchema, body, 'request');
const isRead = (body: unknown) => parseJobRequest(body, { maxOutputs: 50 }).ok;

const good: readonly (readonly [string, unknown])[] = [
  ['only an input', { input }],
  ['an input and a key', { input, api_key: 'key' }],
  ['nothing but nulls', { input, outputs: null, test: null, region: null, notifications: null }],
  ['one output by its other name', { input, output: { speed: 1 } }],
  [
    'numbers and booleans as text',
    { input, test: '1', outputs: [{ width: '640', upscale: 'false', rotate: '90' }] },
  ],
  [
    'numbers and booleans as such',
    { input, test: 1, outputs: [{ width: 640, upscale: true, frame_rate: 29.97 }] },
  ],
  [
    'nulls in an output',
    { input, outputs: [{ width: null, watermark: null, video_codec: null, access_control: null }] },
  ],
  ['codecs in any letter case', { input, outputs: [{ video_codec: 'H264', audio_codec: 'Aac' }] }],
  [
    'times',
    {
      input,
      outputs: [
        { start_clip: '01:02:03.5', clip_length: 2.5 },
        { label: 'b', start_clip: '0' },
      ],
    },
  ],
  ['a size', { input, outputs: [{ size: '640x480' }] }],
  [
    'older and newer spellings',
    { input, outputs: [{ one_pass: 1, decoder_bitrate_cap: '800', decoder_buffer_size: 900 }] },
  ],
  [
    'one watermark',
    { input, outputs: [{ watermark: { url: 's3://b/k.png', x: '-0', y: '25%', width: 20 } }] },
  ],
  ['several watermarks', { input, outputs: [{ watermarks: [{ url: input }, { url: input, y: -5 }] }] }],
  [
    'thumbnails',
    { input, outputs: [{ thumbnails: { number: '3', public: 1 } }, { label: 'b', thumbnails: [{}] }] },
  ],
  [
    'grants',
    {
      input,
      outputs: [
        { access_control: { grantee: 'a', permission: 'read', permissions: null } },
        { label: 'b', access_controls: [{ grantee: 'a', permissions: ['READ', 'WRITE'] }] },
      ],
    },
  ],
  ['unknown fields', { input, colour: 'red', outputs: [{ shade: 1 }] }],
  ['a notification by e-mail', { input, notifications: 'me@example.com' }],
  ['a notification as text', { input, notifications: 'https://user:pass@example.com/done' }],
  [
    'notifications of all kinds',
    {
      input,
      notifications: [input, { url: input, format: 'XML', headers: { 'X-Order': '7' } }],
      outputs: [{ notifications: { url: input } }],
    },
  ],
];

for (const [what, body] of good) {
  test(`a request with ${what} is accepted by the reader and by the schema`, () => {
    assert.ok(isRead(body), JSON.stringify(parseJobRequest(body, { maxOutputs: 50 })));
    assert.equal(schemaErrorsFor(body), []);
  });
}

const bad: readonly (readonly [string, unknown])[] = [
  ['no input', {}],
  ['an input that is null', { input: null }],
  ['a list', []],
  ['a text', 'input'],
  ['too many outputs', { input, outputs: Array(51).fill({}) }],
  ['an output that is a text', { input, outputs: ['x'] }],
  ['a watermark without an address', { input, outputs: [{ watermark: {} }] }],
  ['a grant without a permission', { input, outputs: [{ access_control: [{ grantee: 'a' }] }] }],
  ['21 sets of thumbnails', { input, outputs: [{ thumbnails: Array(21).fill({}) }] }],
  ['a header that the daemon sets', { input, notifications: { url: input, headers: { 'Webhook-Id': '1' } } }],
];

for (const [what, body] of bad) {
  test(`a request with ${what} is rejected by the reader and by the schema`, () => {
    assert.not.ok(isRead(body));
    assert.ok(schemaErrorsFor(body).length > 0);
  });
}

/** Values that only the reader rejects: a schema would have to validate the contents of a string. */
const beyondSchemas: Readonly<Partial<Record<Setting['kind'], true>>> = { text: true, url: true };

for (const [table, inRequest] of [
  [jobTable, (name, value) => ({ input, [name]: value })],
  [outputTable, (name, value) => ({ input, outputs: [{ [name]: value }] })],
] as readonly (readonly [SettingsTable, (name: string, value: unknown) => unknown])[]) {
  for (const [name, setting] of Object.entries(table)) {
    test(`the reader rejects every value of ${name} that the schema rejects, and the schema misses only contents of strings`, () => {
      const wrong = wrongValuesFor(setting).filter(
        (value) => typeof value !== 'number' || Number.isFinite(value),
      );
      const missed = wrong.filter((value) => schemaErrorsFor(inRequest(name, value)).length === 0);
      for (const value of wrong) assert.not.ok(isRead(inRequest(name, value)), JSON.stringify(value));
      const inTexts = missed.filter((value) => typeof value === 'string');
      assert.equal(
        // The reader treats times below a microsecond as zero, and names of headers that differ only in letter case as equal.
        missed.filter((value) => typeof value !== 'string' && value !== 1e-9 && setting.kind !== 'map'),
        [],
        'the schema checks types and ranges of values that are not strings',
      );
      if (!beyondSchemas[setting.kind]) {
        assert.ok(
          inTexts.every((value) => /^[-\d.:%xX]+$/.test(String(value))),
          `only numbers in strings are beyond the schema: ${JSON.stringify(inTexts)}`,
        );
      }
    });
  }
}

test.run();
