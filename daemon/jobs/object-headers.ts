import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';

/** Headers of an object that a request may set, in lower case; a name that ends in `*` is a prefix. */
const headersByScheme: Readonly<Record<string, readonly string[]>> = {
  s3: [
    ...['cache-control', 'content-disposition', 'content-encoding', 'content-type', 'expires'],
    ...['x-amz-acl', 'x-amz-storage-class', 'x-amz-server-side-encryption', 'x-amz-meta-*', 'x-amz-tagging'],
  ],
  gcs: [
    ...['cache-control', 'content-disposition', 'content-encoding', 'content-type', 'expires'],
    ...['x-goog-acl', 'x-goog-meta-*'],
  ],
  cf: ['content-disposition', 'content-encoding', 'content-type', 'x-object-meta-*'],
};
const allHeaders = [...new Set(Object.values(headersByScheme).flat())];

/** Whether a destination stores how a file is compressed. */
export function storesEncoding(scheme: string | null): boolean {
  return headersByScheme[scheme ?? '']?.includes('content-encoding') ?? false;
}

/** The headers of the object of an output in a bucket, in lower case, without those that its service does not know. */
export function objectHeaders(
  settings: OutputSettings,
  scheme: string | null,
): Readonly<Record<string, string>> {
  const entries = Object.entries(settings.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => isAmong(headersByScheme[scheme ?? ''] ?? [], name))
    .filter(([name]) => !isAcl(name) || !hasGrants(settings));
  const storageClass =
    settings.rrs === true && scheme === 's3' ? { 'x-amz-storage-class': 'REDUCED_REDUNDANCY' } : {};
  return { ...storageClass, ...Object.fromEntries(entries) };
}

/**
 * Warnings about headers that are not sent, and about grants without effect. `path` is the path of the output, `scheme`
 * that of its destination.
 */
export function objectWarnings(
  settings: OutputSettings,
  scheme: string | null,
  path: string,
): readonly RequestWarning[] {
  return [
    ...headerWarnings(settings, scheme, path),
    ...grantWarnings(settings, path),
    ...regionWarnings(settings, path),
  ];
}

/** Validation errors of headers that are sent, but whose values are invalid. */
export function headerErrors(
  { headers = {} }: Pick<OutputSettings, 'headers'>,
  path: string,
): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'expires' && Number.isNaN(Date.parse(value))
      ? [`${path}.headers.${name} must be a date, such as Wed, 21 Oct 2026 07:28:00 GMT`]
      : [],
  );
}

function headerWarnings(
  settings: OutputSettings,
  scheme: string | null,
  path: string,
): readonly RequestWarning[] {
  const names = Object.keys(settings.headers ?? {});
  const known = headersByScheme[scheme ?? ''];
  if (known === undefined) {
    const message = 'has no effect: only objects in buckets have headers';
    return names.length === 0 ? [] : [{ field: `${path}.headers`, message }];
  }
  return names.flatMap((name): readonly RequestWarning[] => {
    const lower = name.toLowerCase();
    const field = `${path}.headers.${name}`;
    if (!isAmong(allHeaders, lower)) {
      const rule = `one of ${allHeaders.join(', ')}`;
      return [{ field, message: `is not sent: it must be ${rule}`, strictError: `must be ${rule}` }];
    }
    if (!isAmong(known, lower)) return [{ field, message: `is not sent: ${scheme} has no such header` }];
    const isSame = settings.headers?.[name] === 'public-read' && settings.access_control === undefined;
    if (isAcl(lower) && hasGrants(settings) && !isSame) {
      return [{ field, message: 'has no effect with public or access_control' }];
    }
    return [];
  });
}

function grantWarnings(settings: OutputSettings, path: string): readonly RequestWarning[] {
  const { access_control: grants = [] } = settings;
  const writes = grants.flatMap(({ permission = [] }, index) => {
    const message = 'has no effect here: WRITE has no meaning for an object';
    return permission.includes('WRITE') ? [{ field: `${path}.access_control[${index}]`, message }] : [];
  });
  const isOverridden = settings.public === true && grants.length > 0;
  return [
    ...(isOverridden ? [{ field: `${path}.public`, message: 'has no effect with access_control' }] : []),
    ...writes,
  ];
}

/** The region of a Swift service is that of its configured URL. */
function regionWarnings(
  { url, base_url, secondary_url }: OutputSettings,
  path: string,
): readonly RequestWarning[] {
  const message = 'has no effect on the region: it is that of the configured service';
  return Object.entries({ url, base_url, secondary_url }).flatMap(([name, value]) =>
    value !== undefined && /^cf\+/i.test(value) ? [{ field: `${path}.${name}`, message }] : [],
  );
}

function isAcl(name: string): boolean {
  return name === 'x-amz-acl' || name === 'x-goog-acl';
}

function hasGrants(settings: OutputSettings): boolean {
  return settings.public === true || settings.access_control !== undefined;
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
}
