import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headerParameters } from '../../../daemon/transports/s3/object-upload-context.js';
import { sampleBytes, scratchFolder, transferOf } from '../../contracts/transport/evidence.js';
import { s3rverKeys, startS3rver } from '../../helpers/servers/s3rver.js';
import { clientFor, transportTo } from './s3-harness.js';

test('headers become the parameters of a command', () => {
  assert.equal(
    headerParameters({
      'cache-control': 'no-cache',
      expires: 'Wed, 21 Oct 2026 07:28:00 GMT',
      'x-amz-meta-title': 'a',
      'x-goog-meta-name': 'b',
      'x-amz-acl': 'private',
    }),
    {
      CacheControl: 'no-cache',
      Expires: new Date('2026-10-21T07:28:00Z'),
      Metadata: { title: 'a', name: 'b' },
    },
  );
});

test('the headers of an output are sent with the object, in one request and in parts', async () => {
  const server = await startS3rver(['films']);
  const headers = {
    'cache-control': 'max-age=60',
    'content-type': 'video/x-test',
    'x-amz-meta-title': 'A film',
  };
  try {
    const service = { region: 'us-east-1', keys: s3rverKeys, endpoint: server.endpoint };
    for (const sizeBytes of [3, 17 * 1024 * 1024]) {
      const path = join(scratchFolder(), 'out');
      writeFileSync(path, sampleBytes(sizeBytes));
      await transportTo(service).upload?.(
        path,
        's3://films/a.mp4',
        transferOf({ headers, parallelParts: 1 }),
      );
      const client = clientFor(service);
      const stored = await client.send(new HeadObjectCommand({ Bucket: 'films', Key: 'a.mp4' }));
      assert.equal(
        [stored.CacheControl, stored.ContentType, stored.Metadata],
        ['max-age=60', 'video/x-test', { title: 'A film' }],
      );
    }
  } finally {
    await server.close();
  }
});

test.run();
