import type { Log } from '../../../src/shared/util/log.js';
import type { HostedFileStore } from '../../hosted-files/hosted-file-store.js';
import { type HostedFileStoreOptions, storeDefaults } from '../../hosted-files/hosted-file-store-state.js';
import { BucketAvailability, checkBucket } from './bucket-availability.js';
import { BucketFolder, type BucketFolderOptions } from './bucket-folder.js';
import { parseHostedUrl } from './bucket-location.js';
import { createBucketFileStore } from './create-bucket-file-store.js';

/** Options of the stores in a bucket. */
interface OpenBucketFilesOptions {
  readonly now: () => Date;
  readonly randomToken: () => string;
  readonly needOf?: NonNullable<HostedFileStoreOptions['needOf']>;
  readonly log: Log;
  readonly remoteOptions: BucketFolderOptions;
}

/** The stores in a bucket. */
interface BucketFiles {
  readonly hosted: HostedFileStore;
  readonly uploads: HostedFileStore;
  /** Stops both stores, and closes all connections. */
  readonly close: () => void;
}

/**
 * Opens the stores of hosted outputs and uploads in a bucket, after a check that it can be used. `url` is the value of
 * `--hosted`. Rejects with `UsageError` if it is invalid, or if the bucket is missing or rejects the keys; if its
 * server cannot be reached, the log says so.
 */
export async function openBucketFiles(
  url: string,
  { now, randomToken, log, remoteOptions, needOf = storeDefaults.needOf }: OpenBucketFilesOptions,
): Promise<BucketFiles> {
  const location = parseHostedUrl(url, remoteOptions.service);
  const folder = new BucketFolder(location, remoteOptions);
  const availability = new BucketAvailability(folder, log);
  try {
    const failure = await checkBucket(folder, randomToken());
    if (failure !== null) availability.report(failure);
  } catch (error) {
    folder.close();
    throw error;
  }
  const { stallTimeoutMs } = remoteOptions;
  const open = (kind: 'hosted' | 'uploads') =>
    createBucketFileStore({
      ...{ now, randomToken, stallTimeoutMs, folder, availability, kind, needOf },
      renewsNeeded: kind === 'uploads',
    });
  log(
    'info',
    `Hosted files and uploads are kept in the bucket ${location.name} at ${folder.host} (--hosted).`,
  );
  const [hosted, uploads] = [open('hosted'), open('uploads')];
  const close = () => {
    for (const part of [hosted, uploads, folder]) part.close();
  };
  return { hosted, uploads, close };
}
