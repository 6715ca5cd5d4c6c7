import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { redact, withoutPassword } from '../../src/shared/redact.js';

const oddPasswords = [
  'hunter2secret',
  'p@ss@word',
  'with:colons:inside',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCY+KEY=',
  "it's-mine",
  'p?q#r&s',
  'http://looks-like-a-url',
  '12345',
  '12,34',
  "12'34",
  '%70%40ss',
  'ends-with-at@',
  'pä$$wörd€',
  '$1$2$&',
  '*(){}[]|^~`',
];
const schemes = ['ftp', 'sftp', 's3', 'cf', 'http', 'HTTPS', 'gcs'];

for (const password of oddPasswords) {
  test(`a password such as ${password} is masked, and user and host stay`, () => {
    for (const scheme of schemes) {
      const url = `${scheme}://someone:${password}@example.com/folder/video.mp4`;
      assert.is(redact(url), `${scheme}://someone:***@example.com/folder/video.mp4`);
      assert.is(withoutPassword(url), `${scheme}://someone@example.com/folder/video.mp4`);
    }
  });

  test(`a password such as ${password} is masked inside a text`, () => {
    for (const [before, after] of [
      ['could not fetch ', ': no answer.'],
      ['{"url":"', '","state":"failed"}'],
      ["'", "'"],
      ['<a href="', '">'],
      ['first line\n', '\nlast line'],
    ]) {
      const text = redact(`${before}ftp://me@corp.example:${password}@host/x.mp4${after}`);
      assert.not.match(text, password);
      assert.is(text, `${before}ftp://me@corp.example:***@host/x.mp4${after}`);
    }
  });
}

test('a worker key is masked wherever it is in a text', () => {
  const key = `vencw_${'0123456789abcdef'.repeat(2)}01234567`;
  for (const [before, after] of [
    ['', ''],
    ['the worker key ', ' is not known.'],
    ['http://127.0.0.1:8686/v2/jobs/', '?page=1'],
    ['%22', '%22'],
    ['{"token":"', '"}'],
    ['VENC_WORKER_TOKEN=', '\n'],
  ])
    assert.is(redact(`${before}${key}${after}`), `${before}vencw_***${after}`);
  assert.is(redact(key.slice(0, 20)), 'vencw_***', 'a truncated key');
  assert.not.match(redact(`Authorization: Bearer ${key}`), key);
});

test('each of several URLs in one text is masked', () => {
  assert.is(
    redact('from ftp://a:one@x/1 to s3://b:two@y/2, then http://c:8080/3 and cf://d:three/four@z/5.'),
    'from ftp://a:***@x/1 to s3://b:***@y/2, then http://c:8080/3 and cf://d:***@z/5.',
  );
});

test('URLs that follow each other without a blank lose their passwords', () => {
  const text = redact('ftp://a:one@x/1,ftp://b:two@y/2,ftp://c:three@z/3');
  for (const password of ['one', 'two', 'three']) assert.not.match(text, password);
});

test('a password in a truncated URL is masked', () => {
  assert.is(redact('... ftp://user:hunter2'), '... ftp://user:***@');
  assert.is(redact('ftp://user:pa"ss@host/x'), 'ftp://user:***@host/x');
});

test('addresses without a secret are unchanged', () => {
  for (const url of [
    'http://example.com/video.mp4',
    'http://127.0.0.1:8686/v2/jobs/1',
    'http://localhost:8080/@scope/file@2x.png',
    'http://[::1]:80/a@b',
    'http://example.com:80',
    'http://example.com:80?a@b',
    'listening on http://127.0.0.1:8686, ready',
    'listening on http://127.0.0.1:8686.',
    'http://127.0.0.1:8686: connection refused',
    '(http://127.0.0.1:8686), (http://127.0.0.1:8686/)',
    's3://bucket/key:with:colons@x',
    'sftp://user@host/file',
    'mail to someone@example.com: done',
    'https://example.com/v?width=640&monkey=yes&author=smith',
  ]) {
    assert.is(redact(url), url);
    assert.is(withoutPassword(url), url);
  }
});

test('an address with a password and no user shows neither', () => {
  assert.is(withoutPassword('ftp://:hunter2@host/x'), 'ftp://host/x');
});

test('an answer shows the whole path of an address, including parts that look secret', () => {
  assert.is(withoutPassword('http://u:p@w@host:80/@scope/a@2x.mp4'), 'http://u@host:80/@scope/a@2x.mp4');
  assert.is(withoutPassword('ftp://me@corp.example:p@host/a'), 'ftp://me@corp.example@host/a');
});

for (const name of [
  'token',
  'access_token',
  'X-Amz-Signature',
  'X-Amz-Credential',
  'X-Amz-Security-Token',
  'sig',
  'key',
  'api_key',
  'api-key',
  'apikey',
  'aws_secret_access_key',
  'AWSAccessKeyId',
  'password',
  'passwd',
  'pwd',
  'client_secret',
]) {
  test(`the query parameter ${name} is masked`, () => {
    for (const separator of ['?', '?a=1&', '?a=1;', '#']) {
      const url = `https://example.com/v.mp4${separator}${name}=s3cr;et'%20x/+=&b=2`;
      const masked = `https://example.com/v.mp4${separator}${name}=***&b=2`;
      assert.is(redact(url), masked);
      assert.is(withoutPassword(url), masked);
    }
  });
}

test('keys in headers and bodies are masked', () => {
  assert.is(redact('Service-Api-Key: abcdef'), 'Service-Api-Key: ***');
  assert.is(redact('zencoder-api-key=abcdef, next'), 'zencoder-api-key=***, next');
  assert.is(redact('Authorization: Bearer abc.def'), 'Authorization: Bearer ***');
  assert.is(redact('{"api_key":"abcdef","input":"x"}'), '{"api_key":"***","input":"x"}');
});

test('masking twice gives the same text', () => {
  const once = redact('ftp://a:one@x/1?token=two Authorization: Basic three');
  assert.is(redact(once), once);
});

test('long texts without an end are masked in linear time', () => {
  // Each of these would take hours if the patterns scanned the rest of the text from every position.
  const length = 200_000;
  for (const part of ['a', 'a://b:c', '?', '?token', 'a://b:1/', '&pass', 'a@', 'api_key']) {
    assert.type(redact(part.repeat(length)), 'string');
  }
});

test.run();
