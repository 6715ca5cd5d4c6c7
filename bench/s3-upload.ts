import { createReadStream } from 'node:fs';
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../daemon/transfer/cleanup-journal.js';
import { createS3Transport, hostsOf } from '../daemon/transports/s3/s3-transport.js';
import { planParts } from '../daemon/transports/s3/upload-in-parts.js';
import { s3rverKeys } from '../test/helpers/servers/s3rver.js';
import { timed } from './measure.js';

/*
 * A separate program: uploads a file once, with the transport (`venc`) or only the SDK (`sdk`), depending on the
 * first argument. Both use the same part size and concurrency. Prints the duration and the peak memory.
 */

const [way, endpoint = '', path = '', size] = process.argv.slice(2);
const { id: accessKeyId, secret: secretAccessKey } = s3rverKeys;

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
  await transport.upload?.(path, 's3://films/venc.mp4', { signal, onProgress: () => undefined });
}

async function bySdk(): Promise<void> {
  const { partBytes, concurrency } = planParts(Number(size));
  const client = createClient();
  const params = { Bucket: 'films', Key: 'sdk.mp4', Body: createReadStream(path) };
  await new Upload({ client, params, partSize: partBytes, queueSize: concurrency }).done();
  client.destroy();
}

function createClient(): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}

const ms = await timed(way === 'venc' ? byVenc : bySdk);
const client = createClient();
const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket: 'films', Key: `${way}.mp4` }));
client.destroy();
if (ContentLength !== Number(size)) throw new Error(`${ContentLength} bytes of ${size} have been uploaded`);
const peakMegabytes = (process.resourceUsage().maxRSS * 1024) / 1_000_000;
console.log(JSON.stringify({ ms, peakMegabytes }));
