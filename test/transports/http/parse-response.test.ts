import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  parseResponse,
  type RangeRequest,
  type ResponseHead,
} from '../../../daemon/transports/http/parse-response.js';

const now = new Date('2026-01-01T00:00:00Z');
const all: RangeRequest = { fromByte: 0, known: null };
const read = (status: number, headers: ResponseHead['headers'] = {}, requested = all) =>
  parseResponse({ status, headers }, requested, 'host', now);

const tagged: RangeRequest = { fromByte: 5, known: { validator: '"a"', totalBytes: 10 } };
const middle: RangeRequest = { ...tagged, toByte: 7 };
const dated: RangeRequest = {
  fromByte: 5,
  known: { validator: 'Mon, 01 Dec 2025 00:00:00 GMT', totalBytes: 10 },
};

const classes: readonly (readonly [status: number, errorClass: string, kind: string])[] = [
  [204, 'DownloadFailureError', 'permanent'],
  [304, 'DownloadFailureError', 'permanent'],
  [400, 'DownloadFailureError', 'permanent'],
  [401, 'InvalidUsernameOrPasswordError', 'permanent'],
  [403, 'DownloadAccessDeniedError', 'permanent'],
  [404, 'FileNotFoundError', 'permanent'],
  [410, 'FileNotFoundError', 'permanent'],
  [416, 'DownloadFailureError', 'permanent'],
  [429, 'DownloadFailureError', 'transient'],
  [451, 'DownloadFailureError', 'permanent'],
  [500, 'DownloadFailureError', 'transient'],
  [501, 'DownloadFailureError', 'permanent'],
  [503, 'DownloadFailureError', 'transient'],
];

for (const [status, errorClass, kind] of classes) {
  test(`status ${status} is a ${kind} ${errorClass}`, () => {
    const reading = read(status);
    assert.is(reading.type, 'failed');
    if (reading.type !== 'failed') return;
    assert.is(reading.transferError.error.errorClass, errorClass);
    assert.is(reading.transferError.kind, kind);
  });
}

const retryAfter: readonly (readonly [value: string, ms: number | null])[] = [
  ['3', 3000],
  ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
  ['Thu, 01 Jan 2025 00:00:07 GMT', 0],
  ['soon', null],
];

for (const [value, ms] of retryAfter) {
  test(`Retry-After: ${value} is ${ms} ms`, () => {
    const reading = read(503, { 'retry-after': value });
    assert.is(reading.type === 'failed' ? reading.transferError.retryAfterMs : undefined, ms);
  });
}

const validators: readonly (readonly [
  what: string,
  headers: ResponseHead['headers'],
  validator: string | null,
])[] = [
  ['a strong tag', { etag: '"a"' }, '"a"'],
  ['no weak tag', { etag: 'W/"a"' }, null],
  [
    'an old Last-Modified',
    {
      etag: 'W/"a"',
      'last-modified': 'Mon, 01 Dec 2025 00:00:00 GMT',
      date: 'Mon, 01 Dec 2025 00:00:02 GMT',
    },
    'Mon, 01 Dec 2025 00:00:00 GMT',
  ],
  [
    'no Last-Modified in the second of the response',
    { 'last-modified': 'Mon, 01 Dec 2025 00:00:00 GMT', date: 'Mon, 01 Dec 2025 00:00:00 GMT' },
    null,
  ],
  ['no Last-Modified without a Date', { 'last-modified': 'Mon, 01 Dec 2025 00:00:00 GMT' }, null],
];

for (const [what, headers, validator] of validators) {
  test(`the version of a file is determined by ${what}`, () => {
    const file = { validator, totalBytes: 10 };
    assert.equal(read(200, { ...headers, 'content-length': '10' }), {
      type: 'body',
      fromByte: 0,
      toByte: 10,
      file,
    });
  });
}

const parts: readonly (readonly [
  what: string,
  requested: RangeRequest,
  headers: ResponseHead['headers'],
  type: string,
])[] = [
  ['the requested rest', tagged, { 'content-range': 'bytes 5-9/10', etag: '"a"' }, 'body'],
  ['a rest without a version', tagged, { 'content-range': 'bytes 5-9/10' }, 'body'],
  ['a rest of unknown length', tagged, { 'content-range': 'bytes 5-9/*', etag: '"a"' }, 'body'],
  [
    'a rest with the same Last-Modified',
    dated,
    { 'content-range': 'bytes 5-9/10', 'last-modified': 'Mon, 01 Dec 2025 00:00:00 GMT' },
    'body',
  ],
  ['a range at another offset', tagged, { 'content-range': 'bytes 4-9/10', etag: '"a"' }, 'wrong-range'],
  ['a range of another length', tagged, { 'content-range': 'bytes 5-10/11', etag: '"a"' }, 'changed'],
  ['a range of another version', tagged, { 'content-range': 'bytes 5-9/10', etag: '"b"' }, 'changed'],
  [
    'a range with another Last-Modified',
    dated,
    { 'content-range': 'bytes 5-9/10', 'last-modified': 'Tue, 02 Dec 2025 00:00:00 GMT' },
    'changed',
  ],
  ['a partial response without a range', tagged, { etag: '"a"' }, 'wrong-range'],
  ['several parts', tagged, { 'content-type': 'multipart/byteranges' }, 'wrong-range'],
  [
    'a range that ends before it begins',
    tagged,
    { 'content-range': 'bytes 5-4/10', etag: '"a"' },
    'wrong-range',
  ],
  ['a range beyond the end', tagged, { 'content-range': 'bytes 5-10/10', etag: '"a"' }, 'wrong-range'],
  [
    'a range with a longer Content-Length',
    tagged,
    { 'content-range': 'bytes 5-9/10', 'content-length': '9', etag: '"a"' },
    'wrong-range',
  ],
  ['the requested middle', middle, { 'content-range': 'bytes 5-6/10', etag: '"a"' }, 'body'],
  ['more than the requested middle', middle, { 'content-range': 'bytes 5-9/10' }, 'wrong-range'],
  ['a range without a request for one', all, { 'content-range': 'bytes 0-9/10' }, 'failed'],
];

for (const [what, requested, headers, type] of parts) {
  test(`${what} is parsed as: ${type}`, () => {
    assert.is(read(206, headers, requested).type, type);
  });
}

test('a range beyond the end means that the file has changed', () => {
  assert.equal(read(416, {}, tagged), { type: 'changed' });
});

test('a compressed response has its encoding and no validator, and is rejected only if it cannot be decoded', () => {
  const headers = { 'content-encoding': 'x-GZIP', etag: '"a"' };
  const file = { validator: null, totalBytes: null, encoding: 'gzip' };
  assert.equal(read(200, headers), { type: 'body', fromByte: 0, toByte: null, file });
  assert.match(JSON.stringify(read(200, { 'content-encoding': 'compress' })), 'Content-Encoding compress');
  assert.match(JSON.stringify(read(200, { 'content-encoding': 'gzip, br' })), 'Content-Encoding gzip, br');
  assert.is(read(200, { 'content-encoding': 'identity' }).type, 'body');
  assert.is(read(200, { 'content-encoding': 'UTF-8' }).type, 'body');
});

test('a redirect without an address is an error', () => {
  assert.equal(read(302, { location: '/b' }), { type: 'redirect', location: '/b' });
  assert.is(read(302).type, 'failed');
});

test.run();
