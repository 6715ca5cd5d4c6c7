import { schemeOf } from './registry.js';
import { credentialUse } from './with-credentials.js';

/** The credentials of a service. */
export interface ServiceKeys {
  readonly id: string;
  readonly secret: string;
  /** Given for temporary credentials. */
  readonly sessionToken?: string;
}

/** The configuration of one object storage service. */
export interface StorageService {
  /** URL of the service, addressed path-style; null for the public service. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Used for URLs without credentials. */
  readonly keys: ServiceKeys | null;
}

/** The configuration of the services that files are transferred from and to (contract, section 9). */
export interface Services {
  readonly s3: StorageService;
  readonly gcs: StorageService;
  readonly swift: {
    /** URL of its v1 authentication; null if not configured, then the scheme is rejected. */
    readonly authUrl: string | null;
    readonly keys: ServiceKeys | null;
  };
  /** A private key for SFTP, as text or as a path, and its passphrase. */
  readonly sftp: { readonly key: string | null; readonly passphrase: string | null };
}

/**
 * Reads the configuration of services from environment variables: those of the AWS SDK for S3, `VENC_…` for the others.
 */
export function servicesFrom(env: Readonly<Record<string, string | undefined>>): Services {
  const text = (...names: readonly string[]): string | null =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== '') ?? null;
  const keys = (id: string | null, secret: string | null, sessionToken: string | null = null) =>
    id === null || secret === null
      ? null
      : { id, secret, ...(sessionToken === null ? {} : { sessionToken }) };
  return {
    s3: {
      endpoint: text('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'),
      region: text('AWS_REGION', 'AWS_DEFAULT_REGION') ?? 'us-east-1',
      keys: keys(text('AWS_ACCESS_KEY_ID'), text('AWS_SECRET_ACCESS_KEY'), text('AWS_SESSION_TOKEN')),
    },
    gcs: {
      endpoint: text('VENC_GCS_ENDPOINT'),
      region: 'auto',
      keys: keys(text('VENC_GCS_ACCESS_KEY_ID'), text('VENC_GCS_SECRET_ACCESS_KEY')),
    },
    swift: {
      authUrl: text('VENC_SWIFT_AUTH_URL'),
      keys: keys(text('VENC_SWIFT_USER'), text('VENC_SWIFT_KEY')),
    },
    sftp: { key: text('VENC_SFTP_KEY'), passphrase: text('VENC_SFTP_PASSPHRASE') },
  };
}

/** A service whose keys may be in environment variables. */
type ServiceName = keyof Services;

const serviceOfScheme: Readonly<Record<string, ServiceName>> = {
  s3: 's3',
  gcs: 'gcs',
  cf: 'swift',
  sftp: 'sftp',
};

/** The services for which there are keys. */
export function servicesWithKeys({ s3, gcs, swift, sftp }: Services): readonly ServiceName[] {
  const keys = { s3: s3.keys, gcs: gcs.keys, swift: swift.keys, sftp: sftp.key };
  return (Object.keys(keys) as ServiceName[]).filter((name) => keys[name] !== null);
}

/** The services for which the environment of this process has keys. */
export function ownServices(): readonly ServiceName[] {
  return servicesWithKeys(servicesFrom(process.env));
}

/**
 * The service whose keys a transfer uses for a URL if there are no saved credentials for it; null if the URL has its
 * own, or needs none.
 */
export function serviceOfUrl(url: string): ServiceName | null {
  const service = serviceOfScheme[schemeOf(url) ?? ''] ?? null;
  if (credentialUse(url) === 'saved') return service;
  // The key belongs to the user that the URL names.
  return service === 'sftp' && /^[^/]*:\/\/[^/@:]+@/.test(url) ? service : null;
}

/** The URL with credentials that stand for those of another machine, for checks of the rest of the URL. */
export function withPlaceholderKeys(url: string): string {
  return credentialUse(url) === 'saved' ? url.replace('://', '://key:key@') : url;
}
