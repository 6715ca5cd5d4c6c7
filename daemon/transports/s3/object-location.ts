import { parseRemoteUrl } from '../../transfer/remote-url.js';
import type { ServiceKeys, StorageService } from '../services.js';

/** An object in a bucket, with the keys to access it. */
export interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
  /** Keys of the URL, else of the configuration; null if there are none, then requests are not signed. */
  readonly keys: ServiceKeys | null;
  /** The region in the scheme, as in `s3+eu-west-1:`; absent for that of the configuration. */
  readonly region?: string;
  /** Bucket and key, for messages. */
  readonly name: string;
}

/** Maximum length of a key in the service, in bytes. */
const maxKeyBytes = 1024;

/**
 * Parses `s3://bucket/key`, `s3+REGION://bucket/key` or `s3://ACCESS_KEY:SECRET@bucket/key` (contract, section 9).
 * Returns the validation error as a sentence without subject if the URL is invalid.
 */
export function parseBucketUrl(url: string, service: Pick<StorageService, 'keys'>): ObjectLocation | string {
  const parsed = parseRemoteUrl(url, 'bucket');
  if (!parsed.ok) return parsed.validationError;
  const { host: bucket, credentials } = parsed;
  const key = parsed.parts.join('/');
  if (Buffer.byteLength(key) > maxKeyBytes) return `must have a key of at most ${maxKeyBytes} bytes`;
  if (credentials !== null && (credentials.user === '' || credentials.password === ''))
    return 'must have both an access key and its secret before the bucket, or neither';
  const keys = credentials === null ? service.keys : { id: credentials.user, secret: credentials.password };
  const region = /^s3\+([a-z0-9-]+):/i.exec(url)?.[1]?.toLowerCase();
  return { bucket, key, keys, name: `${bucket}/${key}`, ...(region === undefined ? {} : { region }) };
}
