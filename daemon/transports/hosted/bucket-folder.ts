import type { Readable } from 'node:stream';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import type { CleanupJournal } from '../../transfer/cleanup-journal.js';
import type { Direction } from '../../transfer/disk-errors.js';
import type { Transfer } from '../../transfer/transfer.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import { downloadObject, readObject } from '../s3/download.js';
import { parseS3Error } from '../s3/map-storage-error.js';
import {
  checkListing,
  getObject,
  type ListedObject,
  listObjects,
  type ObjectRange,
  type ObjectStat,
  removeS3Object,
  statObject,
} from '../s3/object.js';
import { type ObjectLocation, parseBucketUrl } from '../s3/object-location.js';
import {
  createObjectUploadContext,
  type ObjectUploadContext,
  putBytes,
} from '../s3/object-upload-context.js';
import { createStorageConnections, StorageSession } from '../s3/storage-session.js';
import { uploadObject } from '../s3/upload.js';
import type { StorageService } from '../services.js';

/** Options of a folder in a bucket. */
export interface BucketFolderOptions extends RemoteOptions {
  readonly service: StorageService;
  readonly cleanupJournal: CleanupJournal;
}

/** Maximum size of a record, in bytes. */
const maxTextBytes = 65_536;

/**
 * A folder in a bucket. Paths are relative to it. All methods reject with the errors of a transfer, which name the
 * bucket and not the file, because the path of a hosted file permits everybody to read it.
 */
export class BucketFolder {
  readonly #connections;
  #region: string | undefined;

  constructor(
    readonly location: BucketLocation,
    readonly options: BucketFolderOptions,
  ) {
    this.#connections = createStorageConnections(options);
    this.#region = location.region;
  }

  /** The facts of a file; null if there is none. */
  stat(path: string, signal: AbortSignal): Promise<ObjectStat | null> {
    const session = this.#session(path, 'download');
    return session.send((request) => statObject(session, request).catch(nullIfMissing), { signal });
  }

  /** Streams a range of a file. */
  read(path: string, range: ObjectRange): Readable {
    return readObject(this.#session(path, 'download'), range, this.options);
  }

  /** The text of a small file; null if there is none. */
  readText(path: string, signal: AbortSignal): Promise<string | null> {
    const session = this.#session(path, 'download');
    const range = { fromByte: 0, toByte: maxTextBytes, version: null };
    return session.send(
      async (request) => {
        const response = await getObject(session, request, range).catch(nullIfMissing);
        if (response === null) return null;
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
        return Buffer.concat(chunks).toString('utf8');
      },
      { signal },
    );
  }

  /** Writes a small file. */
  async writeText(path: string, text: string, signal: AbortSignal): Promise<void> {
    await putBytes(this.startUpload(path, 'application/json', signal), Buffer.from(text));
  }

  /** The context of an upload to a path. */
  startUpload(path: string, contentType: string, signal: AbortSignal): ObjectUploadContext {
    const session = this.#session(path, 'upload');
    const head = { Bucket: session.location.bucket, Key: session.location.key, ContentType: contentType };
    return createObjectUploadContext({ session, url: this.#urlOf(path), signal, head, parallelParts: 2 });
  }

  /** Downloads a file to a local path, as the transport of buckets does. */
  download(path: string, toPath: string, transfer: Transfer): Promise<FileFacts> {
    return downloadObject(this.#session(path, 'download'), toPath, transfer, this.options);
  }

  /** Uploads a local file, as the transport of buckets does. */
  upload(fromPath: string, path: string, transfer: Transfer): Promise<FileFacts> {
    return uploadObject(this.#session(path, 'upload'), fromPath, this.#urlOf(path), transfer, this.options);
  }

  /** Deletes a file. No-op if absent. */
  async remove(path: string, signal: AbortSignal): Promise<void> {
    const session = this.#session(path, 'upload');
    await session.send((request) => removeS3Object(session, request), { signal });
  }

  /** All files below a folder, with paths like those that the other methods take. `folder` ends with a slash. */
  async list(folder: string, signal: AbortSignal): Promise<readonly ListedObject[]> {
    const { objects } = await listObjects(this.#session(folder, 'download'), { signal });
    return objects.map((object) => ({ ...object, key: this.#pathOf(object.key) }));
  }

  /** The names of the folders in a folder. `folder` ends with a slash. */
  async listFolders(folder: string, signal: AbortSignal): Promise<readonly string[]> {
    const session = this.#session(folder, 'download');
    const { folders } = await listObjects(session, { signal, delimiter: '/' });
    return folders.map((key) => this.#pathOf(key).slice(folder.length, -1));
  }

  /** Lists an empty folder, which shows whether the bucket can be used. Remembers its region. */
  async checkListing(signal: AbortSignal): Promise<void> {
    const session = this.#session('.check/', 'download');
    await checkListing(session, signal);
    this.#region = session.region;
  }

  /** The host of the server, for messages. */
  get host(): string {
    return this.#session('', 'download').host;
  }

  /** Closes all connections. */
  close(): void {
    this.#connections.agent.destroy();
  }

  #session(path: string, direction: Direction): StorageSession {
    const { bucket, keys, name } = this.location;
    const region = this.#region === undefined ? {} : { region: this.#region };
    const location = { bucket, key: this.#keyOf(path), keys, name, ...region };
    return new StorageSession(location, direction, this.options, this.#connections);
  }

  #keyOf(path: string): string {
    const { prefix } = this.location;
    return prefix === '' ? path : `${prefix}/${path}`;
  }

  #pathOf(key: string): string {
    const { prefix } = this.location;
    return prefix === '' ? key : key.slice(prefix.length + 1);
  }

  /** The URL of a file, with which the next start removes an unfinished upload. */
  #urlOf(path: string): string {
    return `${this.location.url}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

/** Null if an object is missing. Any other 404 is that of a missing bucket, or of a proxy. */
function nullIfMissing(error: unknown): null {
  const response = parseS3Error(error);
  if (response?.code === 'NoSuchKey') return null;
  throw error;
}

/** The folder in a bucket that contains the hosted files and uploads of daemons. */
interface BucketLocation {
  readonly bucket: string;
  /** Without a slash at its end; empty for the whole bucket. */
  readonly prefix: string;
  readonly keys: NonNullable<ObjectLocation['keys']>;
  /** The region in the scheme, or the one that the server named. */
  readonly region?: string;
  /** Bucket and prefix, for messages. */
  readonly name: string;
  /** The URL of the folder, without a slash at its end. May contain secrets. */
  readonly url: string;
}

/** Keys have at most 1024 bytes. This leaves enough for the longest token and name. */
const maxPrefixBytes = 500;

/** Parses the value of `--hosted`. Throws `UsageError`, without the value: it may contain secrets. */
export function parseHostedUrl(url: string, service: Pick<StorageService, 'keys'>): BucketLocation {
  const base = url.replace(/\/+$/, '');
  if (!/^s3(?:\+[a-z0-9-]+)?:\/\/[^/]/i.test(base))
    throw usageError('takes the URL of a folder in a bucket, such as s3://bucket/prefix');
  // Files have the form of any other URL of a bucket; only the folder may be the bucket itself.
  const location = parseBucketUrl(`${base}/file`, service);
  if (typeof location === 'string') throw usageError(location.replace(/ a key /, ' a prefix '));
  const { bucket, key, keys, region } = location;
  const prefix = key.split('/').slice(0, -1).join('/');
  if (Buffer.byteLength(prefix) > maxPrefixBytes)
    throw usageError(`must have a prefix of at most ${maxPrefixBytes} bytes`);
  if (keys === null)
    throw usageError(
      'needs the keys of the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write s3://ACCESS_KEY:SECRET@bucket/prefix',
    );
  const name = prefix === '' ? bucket : `${bucket}/${prefix}`;
  return { bucket, prefix, keys, name, url: base, ...(region === undefined ? {} : { region }) };
}

function usageError(predicate: string): VencError {
  return new VencError('UsageError', `--hosted ${predicate}.`);
}
