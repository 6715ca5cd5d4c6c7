import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBucketUrl } from '../../../daemon/transports/s3/object-location.js';

const own = { id: 'OWN', secret: 'own' };
const read = (url: string) => parseBucketUrl(url, { keys: own });

const valid: readonly (readonly [url: string, bucket: string, key: string, keys: object])[] = [
  ['s3://films/a.mp4', 'films', 'a.mp4', own],
  ['s3://films/a b/%C3%BC?#.mp4', 'films', 'a b/ü?#.mp4', own],
  ['s3://AKIA:plain@films/a.mp4', 'films', 'a.mp4', { id: 'AKIA', secret: 'plain' }],
  ['s3://AKIA:a%2Fb%2Bc%3D%40@films/a.mp4', 'films', 'a.mp4', { id: 'AKIA', secret: 'a/b+c=@' }],
  ['s3://AKIA:a/b+c/d=@films/x/a.mp4', 'films', 'x/a.mp4', { id: 'AKIA', secret: 'a/b+c/d=' }],
  ['s3://AKIA:a@b@films/a.mp4', 'films', 'a.mp4', { id: 'AKIA', secret: 'a@b' }],
  ['s3://AKIA:a/b@films/x/big@2x.png', 'films', 'x/big@2x.png', { id: 'AKIA', secret: 'a/b' }],
  ['s3://films/x/big@2x.png', 'films', 'x/big@2x.png', own],
  ['gcs://GOOG1E:s/t@my_films.example.com/a', 'my_films.example.com', 'a', { id: 'GOOG1E', secret: 's/t' }],
];

for (const [url, bucket, key, keys] of valid) {
  test(`${url} is parsed into its object and its keys`, () => {
    assert.equal(read(url), { bucket, key, keys, name: `${bucket}/${key}` });
  });
}

const invalid: readonly (readonly [url: string, message: RegExp])[] = [
  ['s3:///a.mp4', /must name a bucket/],
  ['s3://AKIA:secret@/a.mp4', /must name a bucket/],
  ['s3://films', /must name a file/],
  ['s3://films/', /must name a file/],
  ['s3://films/a/../b', /"\.\."/],
  ['s3://films:80/a', /without a port/],
  ['s3://AKIA@films/a', /both an access key and its secret/],
  ['s3://:secret@films/a', /both an access key and its secret/],
  ['s3://films/a%0d%0ab', /line breaks/],
  [`s3://films/${'a'.repeat(1025)}`, /at most 1024 bytes/],
];

for (const [url, validationError] of invalid) {
  test(`${url.slice(0, 40)} is rejected with the reason`, () =>
    assert.match(String(read(url)), validationError));
}

test.run();
