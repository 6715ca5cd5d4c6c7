import { randomBytes } from 'node:crypto';
import { createHostedFileStore } from '../../daemon/hosted-files/create-hosted-file-store.js';
import type { HostedFileStore } from '../../daemon/hosted-files/hosted-file-store.js';
import type { HostedFileStoreOptions } from '../../daemon/hosted-files/hosted-file-store-state.js';
import { tempFolder } from './temp.js';

/** A hosted file store in its own folder. */
interface HostedFilesHarness {
  readonly folder: string;
  readonly store: HostedFileStore;
}

/** Creates a hosted file store for a test. The clock defaults to the real one. */
export function createHostedFilesHarness(
  options: Partial<HostedFileStoreOptions> = {},
  folder: string = tempFolder(),
): HostedFilesHarness {
  const store = createHostedFileStore(folder, {
    now: () => new Date(),
    randomToken: () => randomBytes(12).toString('hex'),
    stallTimeoutMs: 5_000,
    ...options,
  });
  return { folder, store };
}
