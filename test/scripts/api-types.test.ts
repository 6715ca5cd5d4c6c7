import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiTypes } from '../../scripts/docs/api-types.js';
import type { CreateJobRequest } from '../../src/api-types/api-types.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

const types = apiTypes();

test('src/api-types/api-types.ts matches the OpenAPI document; npm run docs updates it', () => {
  assert.fixture(readFileSync('src/api-types/api-types.ts', 'utf8'), types);
});

test('the types import nothing and are all described', () => {
  assert.not.match(types, /^import /m);
  const exported = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  for (const name of ['CreateJobRequest', 'OutputSettings', 'Job', 'JobProgress', 'JobNotification'])
    assert.ok(exported.includes(name), name);
  assert.not.match(types, /(?<!\*\/\n)^export /m);
});

test('other spellings and settings that are always rejected are left out', () => {
  const [, settings = ''] = /^export interface OutputSettings \{\n([\s\S]*?)^\}/m.exec(types) ?? [];
  assert.match(settings, /^ {2}bitrate_cap\?: number \| `\$\{number\}` \| null \| undefined;$/m);
  assert.not.match(settings, /decoder_bitrate_cap|package_format/);
});

/** A request with one value of each form of the types. */
const request = {
  input: 'https://example.com/film.mov',
  test: 1,
  priority: '5',
  notifications: ['https://example.com/hook', { url: 'https://example.com/other', format: 'json' }],
  outputs: [
    {
      url: 's3://bucket/film.mp4',
      width: 1280,
      height: '720',
      video_codec: 'h264',
      rotate: 90,
      public: true,
    },
    { watermark: { url: 'https://example.com/logo.png', x: '-10' }, start_clip: '0:00:01.5', label: null },
    { target_size: '10MB', thumbnails: { number: 3 }, headers: { 'Cache-Control': 'no-store' } },
  ],
} satisfies CreateJobRequest;

test('a request of the type is valid', () => {
  const parsed = parseJobRequest(request, { maxOutputs: 5 });
  assert.equal(parsed.ok ? parsed.warnings : parsed.validationErrors, []);
});

test.run();
