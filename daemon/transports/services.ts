import type { SavedCredentials } from '../jobs/saved-credentials.js';
import { schemeOf, type TransportRegistry, transportFor, wrapTransport } from './registry.js';
import type { Transport } from './transport.js';

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

/** Whose saved credentials apply to a URL. */
export interface CredentialOwner {
  readonly accountId: string;
  /** The name in the request (`credentials`). */
  readonly credentials?: string | undefined;
}

/**
 * Returns the URL with the saved credentials that apply to it. A URL with a user is unchanged. The result contains the
 * secret: it is passed only to a transport.
 */
export async function withSavedCredentials(
  url: string,
  owner: CredentialOwner,
  saved: SavedCredentials,
): Promise<string> {
  const scheme = schemeOf(url);
  const [, start = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([\s\S]*)$/i.exec(url) ?? [];
  if (scheme === null || start === '' || credentialUse(url) !== 'saved') return url;
  const found = await saved.find({ accountId: owner.accountId, scheme, name: owner.credentials ?? null });
  if (found === null) return url;
  return `${start}${encodeURIComponent(found.user)}:${encodeURIComponent(found.secret)}@${rest}`;
}

/** Which credentials a transfer uses for a URL: saved ones, those of the URL itself, or none. */
export function credentialUse(url: string): 'saved' | 'own' | 'none' {
  const scheme = schemeOf(url);
  if (scheme === null || unauthenticatedSchemes.has(scheme) || !/^[^/]*:\/\//.test(url)) return 'none';
  return /^[^/]*:\/\/[^/]*@/.test(url) ? 'own' : 'saved';
}

/** Schemes of files on this machine. */
const unauthenticatedSchemes: ReadonlySet<string> = new Set(['file', 'hosted', 'upload']);

/**
 * The transport for a URL, which uses the saved credentials of its owner. Its methods take the URL without them. Throws
 * `InvalidRequestError` if the scheme is unknown.
 */
export function transportWithCredentials(
  { transports, savedCredentials }: TransportContext,
  url: string,
  owner: CredentialOwner,
): Transport {
  const complete = (address: string) => withSavedCredentials(address, owner, savedCredentials);
  return wrapTransport(transportFor(transports, url), {
    download: (download) => async (from, to, transfer) => download(await complete(from), to, transfer),
    upload: (upload) => async (from, to, transfer) => upload(from, await complete(to), transfer),
    remove: (remove) => async (at, isOwn) => remove(await complete(at), isOwn),
    sizeOf: (sizeOf) => async (from, signal) => sizeOf(await complete(from), signal),
  });
}

/** The transports, and the credentials that they use. */
interface TransportContext {
  readonly transports: TransportRegistry;
  readonly savedCredentials: SavedCredentials;
}
