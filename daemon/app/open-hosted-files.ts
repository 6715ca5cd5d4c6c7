import { join } from 'node:path';
import type { Log } from '../../src/shared/util/log.js';
import { createHostedFileStore } from '../hosted-files/create-hosted-file-store.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { HostedFileStoreOptions } from '../hosted-files/hosted-file-store-state.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import type { CleanupJournal } from '../transfer/cleanup-journal.js';
import { hostsOf } from '../transports/s3/s3-transport.js';
import { servicesFrom } from '../transports/services.js';
import type { AppOptions } from './app-options.js';

/** What the stores need besides the options of the daemon. */
interface FileStoreOptions extends HostedFileStoreOptions {
  readonly cleanupJournal: CleanupJournal;
  readonly log: Log;
}

/** The stores of hosted outputs and of uploads. */
interface HostedFiles {
  readonly hosted: HostedFileStore;
  readonly uploads: HostedFileStore;
  /** Stops both stores. */
  readonly closeFiles: () => Promise<void>;
}

/**
 * Opens the stores of hosted outputs and uploads: in the data folder, or in a bucket that several daemons may share
 * (`--hosted`). Rejects with `UsageError` if the bucket cannot be used.
 */
export async function openHostedFiles(
  { dataFolder, hosted: url = null, allowPrivateNetwork }: AppOptions,
  options: FileStoreOptions,
): Promise<HostedFiles> {
  if (url !== null) return openInBucket(url, allowPrivateNetwork, options);
  const hosted = createHostedFileStore(join(dataFolder, 'hosted'), options);
  const uploads = createHostedFileStore(join(dataFolder, 'uploads'), { ...options, renewsNeeded: true });
  const closeFiles = async () => {
    hosted.close();
    uploads.close();
  };
  return { hosted, uploads, closeFiles };
}

async function openInBucket(
  url: string,
  allowPrivateNetwork: boolean,
  { now, randomToken, stallTimeoutMs, needOf, cleanupJournal, log }: FileStoreOptions,
): Promise<HostedFiles> {
  const { s3: service } = servicesFrom(process.env);
  // Loaded only here, with the SDK of S3.
  const { openBucketFiles } = await import('../transports/hosted/open-bucket-files.js');
  const guard = createSsrfGuard({ allowPrivateNetwork, exemptHosts: hostsOf(service) });
  const remoteOptions = { service, guard, stallTimeoutMs, cleanupJournal };
  const { hosted, uploads, close } = await openBucketFiles(url, {
    ...{ now, randomToken, log, remoteOptions },
    ...(needOf === undefined ? {} : { needOf }),
  });
  return { hosted, uploads, closeFiles: async () => close() };
}
