import { parseUrl } from '../../../src/shared/text/url-text.js';
import type { CleanupJournal } from '../../transfer/cleanup-journal.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { requireLocation } from '../../transfer/transfer-error.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import type { StorageService } from '../services.js';
import type { Transport } from '../transport.js';
import { parseBucketUrl } from './object-location.js';
import type { StorageConnections, StorageSession } from './storage-session.js';

/** Options of the object storage transports. */
interface BucketOptions extends RemoteOptions {
  readonly service: StorageService;
  readonly cleanupJournal: CleanupJournal;
}

/** The S3-compatible API of Google Cloud Storage, with HMAC keys. */
const gcsEndpoint = 'https://storage.googleapis.com';

/** Creates the transport of S3 and compatible servers: `s3:` (section 1 and contract, section 9). */
export function createS3Transport(options: BucketOptions): Transport {
  return bucketTransport('s3', options);
}

/** Creates the transport of Google Cloud Storage: `gcs:` (contract, section 9). */
export function createGcsTransport(options: BucketOptions): Transport {
  const { service } = options;
  return bucketTransport('gcs', {
    ...options,
    service: { ...service, endpoint: service.endpoint ?? gcsEndpoint },
  });
}

function bucketTransport(scheme: string, options: BucketOptions): Transport {
  const { service } = options;
  /** The connections of the current transfers, by their keys. */
  const shared = new Map<string, { readonly connections: StorageConnections; users: number }>();
  const withStorageSession = async <Answer>(
    url: string,
    direction: Direction,
    work: (session: StorageSession) => Promise<Answer>,
  ): Promise<Answer> => {
    const location = requireLocation(parseBucketUrl(url, service), direction);
    // Loaded on the first transfer: an idle daemon does not need the SDK.
    const { createStorageConnections, StorageSession } = await import('./storage-session.js');
    // Otherwise each of many small files would need a connection of its own.
    const key = JSON.stringify(location.keys);
    const entry = shared.get(key) ?? { connections: createStorageConnections(options), users: 0 };
    shared.set(key, entry);
    entry.users += 1;
    try {
      return await work(new StorageSession(location, direction, options, entry.connections));
    } finally {
      entry.users -= 1;
      if (entry.users === 0) {
        shared.delete(key);
        entry.connections.agent.destroy();
      }
    }
  };
  return {
    schemes: [scheme],
    async checkInput(url) {
      const location = parseBucketUrl(url, service);
      return typeof location === 'string' ? location : null;
    },
    async checkOutput(url) {
      const location = parseBucketUrl(url, service);
      if (typeof location === 'string') return location;
      return location.keys === null ? missingKeys(scheme) : null;
    },
    async download(from, toPath, transfer) {
      transfer.signal.throwIfAborted();
      const { downloadObject } = await import('./download.js');
      return withStorageSession(from, 'download', (session) =>
        downloadObject(session, toPath, transfer, options),
      );
    },
    async upload(fromPath, to, transfer) {
      transfer.signal.throwIfAborted();
      const { uploadObject } = await import('./upload.js');
      return withStorageSession(to, 'upload', (session) =>
        uploadObject(session, fromPath, to, transfer, options),
      );
    },
    async remove(url) {
      const { removeS3Object } = await import('./object.js');
      const signal = options.cleanupEnd ?? new AbortController().signal;
      await withStorageSession(url, 'upload', (session) =>
        session.send((request) => removeS3Object(session, request), { signal }),
      );
    },
    async sizeOf(from, signal) {
      const { statObject } = await import('./object.js');
      const facts = await withStorageSession(from, 'download', (session) =>
        session.send((request) => statObject(session, request), { signal }),
      );
      return facts.sizeBytes;
    },
    async removeOrphan({ url, name }) {
      const { abortUpload } = await import('./upload-in-parts.js');
      await withStorageSession(url, 'upload', (session) =>
        abortUpload(session, name, new AbortController().signal),
      );
    },
  };
}

function missingKeys(scheme: string): string {
  const names =
    scheme === 'gcs'
      ? 'VENC_GCS_ACCESS_KEY_ID and VENC_GCS_SECRET_ACCESS_KEY'
      : 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return `must have keys: as ${scheme}://ACCESS_KEY:SECRET@bucket/key, saved with venc credentials, or in ${names} of the daemon`;
}

/** The host of the configured endpoint of a storage service. It may be private. */
export function hostsOf({ endpoint }: Pick<StorageService, 'endpoint'>): readonly string[] {
  const url = endpoint === null ? null : parseUrl(endpoint);
  return url === null ? [] : [url.hostname.replace(/^\[|\]$/g, '')];
}
