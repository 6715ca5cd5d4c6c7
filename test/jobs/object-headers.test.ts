import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headerErrors, objectHeaders, objectWarnings } from '../../daemon/jobs/object-headers.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';

const headers = {
  'Cache-Control': 'max-age=60',
  'X-Amz-Meta-Title': 'a',
  'X-Goog-Meta-Title': 'b',
  'X-Object-Meta-Title': 'c',
  'X-Powered-By': 'venc',
};

test('each service gets the headers that it knows', () => {
  assert.equal(objectHeaders({ headers }, 's3'), { 'cache-control': 'max-age=60', 'x-amz-meta-title': 'a' });
  assert.equal(objectHeaders({ headers }, 'gcs'), {
    'cache-control': 'max-age=60',
    'x-goog-meta-title': 'b',
  });
  assert.equal(objectHeaders({ headers }, 'cf'), { 'x-object-meta-title': 'c' });
  assert.equal(objectHeaders({ headers }, 'ftp'), {});
});

test('rrs is a storage class of S3, unless the headers name one', () => {
  const reduced = { 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  assert.equal(objectHeaders({ rrs: true }, 's3'), reduced);
  assert.equal(objectHeaders({ rrs: true }, 'gcs'), {});
  const own = { 'x-amz-storage-class': 'STANDARD_IA' };
  assert.equal(objectHeaders({ rrs: true, headers: own }, 's3'), own);
});

const cases: readonly (readonly [
  settings: OutputSettings,
  scheme: string,
  field: string,
  message: RegExp,
])[] = [
  [{ headers: { 'X-Powered-By': 'v' } }, 's3', '.headers.X-Powered-By', /is not sent: it must be one of/],
  [{ headers: { 'x-goog-acl': 'private' } }, 's3', '.headers.x-goog-acl', /s3 has no such header/],
  [
    { headers: { 'x-amz-acl': 'private' }, public: true },
    's3',
    '.headers.x-amz-acl',
    /no effect with public/,
  ],
  [{ headers: { expires: 'x' } }, 'sftp', '.headers', /only objects in buckets have headers/],
  [{ url: 'cf+uk://c/o' }, 'cf', '.url', /no effect on the region/],
  [
    { public: true, access_control: [{ grantee: 'a', permission: ['READ'] }] },
    's3',
    '.public',
    /no effect with access_control/,
  ],
  [
    { access_control: [{ grantee: 'a', permission: ['READ', 'WRITE'] }] },
    's3',
    '.access_control[0]',
    /WRITE has no meaning/,
  ],
];

for (const [settings, scheme, field, message] of cases) {
  test(`${JSON.stringify(settings)} at ${scheme}: is a warning about ${field}`, () => {
    const warnings = objectWarnings(settings, scheme, 'outputs[0]');
    assert.equal(
      warnings.map((warning) => warning.field),
      [`outputs[0]${field}`],
    );
    assert.match(warnings[0]?.message ?? '', message);
  });
}

test('the canned ACL public-read agrees with public', () => {
  assert.equal(objectWarnings({ headers: { 'x-amz-acl': 'public-read' }, public: true }, 's3', ''), []);
});

test('a date of Expires that cannot be read is a validation error', () => {
  assert.match(
    headerErrors({ headers: { Expires: 'soon' } }, 'outputs[0]').join(),
    /^outputs\[0\]\.headers\.Expires/,
  );
  assert.equal(headerErrors({ headers: { Expires: 'Wed, 21 Oct 2026 07:28:00 GMT' } }, ''), []);
});

test.run();
