import { VencError } from '../../../src/shared/errors.js';
import { type ObjectLocation, parseBucketUrl } from '../s3/object-location.js';
import type { StorageService } from '../services.js';

/** The folder in a bucket that contains the hosted files and uploads of daemons. */
export interface BucketLocation {
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
