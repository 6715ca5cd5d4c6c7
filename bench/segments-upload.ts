import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { sendConcurrently } from '../daemon/pipeline/send-parts.js';
import { noCleanupJournal } from '../daemon/transfer/cleanup-journal.js';
import { createS3Transport, hostsOf } from '../daemon/transports/s3/s3-transport.js';
import { s3rverKeys } from '../test/helpers/servers/s3rver.js';
import { timed } from './measure.js';

/*
 * A separate program: uploads the files of a folder once, with the transport (`venc`) or only the SDK (`sdk`), depending on the first
 * argument, both with the same concurrency. Prints the duration.
 */

const [way = '', endpoint = '', folder = ''] = process.argv.slice(2);
const names = readdirSync(folder);
const concurrency = 30;
const { id: accessKeyId, secret: secretAccessKey } = s3rverKeys;
const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
  requestChecksumCalculation: 'WHEN_REQUIRED',
});

async function byVenc(): Promise<void> {
  const service = { endpoint, region: 'us-east-1', keys: s3rverKeys };
  const guard = createSsrfGuard({ allowPrivateNetwork: false, exemptHosts: hostsOf(service) });
  const transport = createS3Transport({
    guard,
    stallTimeoutMs: 60_000,
    cleanupJournal: noCleanupJournal,
    service,
  });
  const { signal } = new AbortController();
  await sendConcurrently(names, concurrency, (name) =>
    Promise.resolve(
      transport.upload?.(join(folder, name), `s3://films/venc/${name}`, {
        signal,
        onProgress: () => undefined,
      }),
    ),
  );
}

async function bySdk(): Promise<void> {
  const waiting = [...names];
  const worker = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const Body = await readFile(join(folder, name));
      await client.send(new PutObjectCommand({ Bucket: 'films', Key: `sdk/${name}`, Body }));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

const ms = await timed(way === 'venc' ? byVenc : bySdk);
const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket: 'films', Prefix: `${way}/` }));
client.destroy();
if (KeyCount !== names.length) throw new Error(`${KeyCount} of ${names.length} files have been uploaded`);
console.log(JSON.stringify({ ms }));
