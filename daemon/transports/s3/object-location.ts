import { parseRemoteUrl } from '../../transfer/remote-url.js';
import type { ServiceKeys, StorageService } from '../services.js';

/** An object in a bucket, and whose keys lead to it. */
export interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
  /** Those of the URL, else those of the configuration; null where there are none: then nothing is signed. */
  readonly keys: ServiceKeys | null;
  /** Bucket and key, to be named in messages. */
  readonly name: string;
}

/** The service's own limit for a key, in bytes. */
const maxKeyBytes = 1024;

/**
 * Where `s3://bucket/key` or `s3://ACCESS_KEY:SECRET@bucket/key` leads (contract, section 9); or a sentence without subject that says why
 * it cannot be used.
 */
export function parseBucketUrl(url: string, service: Pick<StorageService, 'keys'>): ObjectLocation | string {
  const parsed = parseRemoteUrl(url, 'bucket');
  if (!parsed.ok) return parsed.validationError;
  const { host: bucket, credentials } = parsed;
  const key = parsed.parts.join('/');
  if (Buffer.byteLength(key) > maxKeyBytes) return `must have a key of at most ${maxKeyBytes} bytes`;
  if (credentials !== null && (credentials.user === '' || credentials.password === ''))
    return 'must hold both an access key and its secret in front of the bucket, or none of them';
  const keys = credentials === null ? service.keys : { id: credentials.user, secret: credentials.password };
  return { bucket, key, keys, name: `${bucket}/${key}` };
}
