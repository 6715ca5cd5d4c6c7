/** A name and a secret that a service knows a caller by. */
export interface ServiceKeys {
  readonly id: string;
  readonly secret: string;
  /** Beside keys that are good for a while only. */
  readonly sessionToken?: string;
}

/** One object storage as the daemon's configuration has it. */
export interface StorageService {
  /** Address of the service; null for the one of its operator. Addressed path-style where it is given. */
  readonly endpoint: string | null;
  readonly region: string;
  /** For URLs without keys of their own. */
  readonly keys: ServiceKeys | null;
}

/** What the daemon's configuration says of the services that files come from and go to (contract, section 9). */
export interface Services {
  readonly s3: StorageService;
  readonly gcs: StorageService;
  readonly swift: {
    /** Address of its v1 authentication; null where there is none, which leaves the scheme unusable. */
    readonly authUrl: string | null;
    readonly keys: ServiceKeys | null;
  };
  /** A private key for SFTP, as text or as the path of its file, and what it is locked with. */
  readonly sftp: { readonly key: string | null; readonly passphrase: string | null };
}

/** Reads the configuration of services from environment variables: the AWS SDK's own names, and ours for the others. */
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
