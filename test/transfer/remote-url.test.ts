import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRemoteUrl } from '../../daemon/transfer/remote-url.js';

const plain = { ok: true, port: null, credentials: null, isFromRoot: false };

const valid: readonly (readonly [url: string, reading: object])[] = [
  ['ftp://example.com/film.mp4', { ...plain, host: 'example.com', parts: ['film.mp4'] }],
  ['SFTP://example.com:2222/a/b.mp4', { ...plain, host: 'example.com', port: 2222, parts: ['a', 'b.mp4'] }],
  [
    'ftp://example.com//var/b.mp4',
    { ...plain, host: 'example.com', parts: ['var', 'b.mp4'], isFromRoot: true },
  ],
  [
    'ftp://example.com/%2Fvar/b.mp4',
    { ...plain, host: 'example.com', parts: ['var', 'b.mp4'], isFromRoot: true },
  ],
  ['ftp://[2001:db8::1]:21/a', { ...plain, host: '2001:db8::1', port: 21, parts: ['a'] }],
  ['ftp://0x7f000001/a', { ...plain, host: '127.0.0.1', parts: ['a'] }],
  ['ftp://example.com/a%20b%3F%23c?d#e', { ...plain, host: 'example.com', parts: ['a b?#c?d#e'] }],
  ['ftp://example.com/100%25%41%2542', { ...plain, host: 'example.com', parts: ['100%A%42'] }],
  [
    'ftp://us%40er:p%2F%3A%40ss@example.com/a',
    { ...plain, host: 'example.com', parts: ['a'], credentials: { user: 'us@er', password: 'p/:@ss' } },
  ],
  [
    'ftp://user:p@ss:word@example.com/a',
    { ...plain, host: 'example.com', parts: ['a'], credentials: { user: 'user', password: 'p@ss:word' } },
  ],
  [
    'sftp://user@example.com/a',
    { ...plain, host: 'example.com', parts: ['a'], credentials: { user: 'user', password: '' } },
  ],
];

for (const [url, reading] of valid) {
  test(`${url} is parsed into all its parts`, () => assert.equal(parseRemoteUrl(url), reading));
}

test('the bucket of a storage URL keeps its letter case', () => {
  const { host, parts } = Object(parseRemoteUrl('s3://Films_of.2026/a/b.mp4', 'bucket'));
  assert.equal([host, parts], ['Films_of.2026', ['a', 'b.mp4']]);
});

const invalid: readonly (readonly [url: string, message: RegExp])[] = [
  ['ftp:///a', /must name a host/],
  ['ftp://user:pass@/a', /must name a host/],
  ['ftp:a', /must be a URL such as/],
  ['ftp://example.com:0/a', /port from 1 to 65535/],
  ['ftp://example.com:70000/a', /port from 1 to 65535/],
  ['ftp://example.com:x/a', /port from 1 to 65535/],
  ['ftp://exa mple.com/a', /valid host/],
  ['ftp://example.com', /must name a file/],
  ['ftp://example.com/', /must name a file/],
  ['ftp://example.com/folder/', /must name a file/],
  ['ftp://example.com/a/../b', /must not contain "."/],
  ['ftp://example.com/%2e%2e%2Fb', /must not contain "."/],
  ['ftp://example.com/a%0d%0aDELE%20b', /line breaks/],
  ['ftp://us%0Aer@example.com/a', /line breaks/],
  ['ftp://example.com/a\nb', /line breaks/],
];

for (const [url, validationError] of invalid) {
  test(`${JSON.stringify(url)} is rejected`, () => {
    const reading = parseRemoteUrl(url);
    assert.match(reading.ok ? 'taken' : reading.validationError, validationError);
  });
}

for (const url of ['s3:///key', 's3://bucket:80/key', 's3://buc%2Fket/key', 's3://../key', 's3://%2e/key']) {
  test(`${url} is rejected because it names no bucket`, () => {
    const reading = parseRemoteUrl(url, 'bucket');
    assert.match(reading.ok ? 'taken' : reading.validationError, /must name a bucket/);
  });
}

test.run();
