import { schemeOf } from './registry.js';
import { type Services, servicesFrom } from './services.js';
import { credentialUse } from './with-credentials.js';

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

/** The service whose keys a transfer uses for a URL if there are no saved credentials for it; null if the URL has its own, or needs none. */
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
