import { randomBytes } from 'node:crypto';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { BucketAvailability } from '../../daemon/transports/hosted/bucket-availability.js';
import { BucketFolder, parseHostedUrl } from '../../daemon/transports/hosted/bucket-folder.js';
import { hostsOf } from '../../daemon/transports/s3/s3-transport.js';
import type { StorageService } from '../../daemon/transports/services.js';
import type { Log } from '../../src/shared/util/log.js';
import { clientFor } from '../transports/s3/s3-harness.js';
import { s3rverKeys } from './servers/s3rver.js';

/** The configuration of a server, as a daemon reads it from its environment. */
export const serviceAt = (endpoint: string) => ({ endpoint, region: 'us-east-1', keys: s3rverKeys });

/** Opens the folder of a daemon in a bucket of s3rver. */
export function openBucketFolder(url: string, endpoint: string, stallTimeoutMs = 2_000): BucketFolder {
  return openFolderOf(url, serviceAt(endpoint), stallTimeoutMs);
}

/** Opens the folder of a daemon in a bucket of any server. */
export function openFolderOf(url: string, service: StorageService, stallTimeoutMs = 2_000): BucketFolder {
  return new BucketFolder(parseHostedUrl(url, service), {
    service,
    guard: createSsrfGuard({ allowPrivateNetwork: false, exemptHosts: hostsOf(service) }),
    stallTimeoutMs,
    retryDelayMs: 1,
    cleanupJournal: noCleanupJournal,
  });
}

/** The options of a store in a bucket. */
export function bucketStoreOptions(folder: BucketFolder, log: Log = () => {}) {
  return {
    now: () => new Date(),
    randomToken: () => randomBytes(12).toString('hex'),
    stallTimeoutMs: 2_000,
    folder,
    availability: new BucketAvailability(folder, log),
  };
}

/** All keys of a bucket, read without the code under test. */
export async function keysIn(endpoint: string, bucket: string): Promise<readonly string[]> {
  const client = clientFor(serviceAt(endpoint));
  try {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key }) => `${Key}`);
  } finally {
    client.destroy();
  }
}
