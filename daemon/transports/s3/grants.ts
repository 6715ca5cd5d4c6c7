import { GetObjectAclCommand, type ObjectCannedACL, PutObjectAclCommand } from '@aws-sdk/client-s3';
import type { FileAccess, Grant, Permission } from '../../jobs/file-access.js';
import { parseS3Error } from './map-storage-error.js';
import type { S3RequestContext, StorageSession } from './storage-session.js';

/** The grants of an object, as parameters of the SDK's commands. */
export interface ObjectGrants {
  readonly ACL?: ObjectCannedACL;
  readonly GrantRead?: string;
  readonly GrantReadACP?: string;
  readonly GrantWriteACP?: string;
  readonly GrantFullControl?: string;
}

/** The parameter for each permission. WRITE has none, because it applies only to buckets. */
const parameters = {
  READ: 'GrantRead',
  READ_ACP: 'GrantReadACP',
  WRITE_ACP: 'GrantWriteACP',
  FULL_CONTROL: 'GrantFullControl',
} as const;

/**
 * The grants of an uploaded object (section 4.1). By default the owner of the bucket gets full control. A canned ACL
 * and explicit grants exclude each other, so a public object with explicit grants has only these. WRITE is ignored,
 * because it applies only to buckets.
 */
export function grantsFor(
  access: FileAccess | undefined,
  headers: Readonly<Record<string, string>> = {},
): ObjectGrants {
  const requested = headers['x-amz-acl'] ?? headers['x-goog-acl'];
  // The SDK types only the values of S3, and the service validates the value.
  if (requested !== undefined) return { ACL: requested as ObjectCannedACL };
  const isPublic = access?.isPublic === true;
  const grants = Object.entries(parameters).flatMap(([permission, parameter]) => {
    const grantees = granteesOf(access, permission as keyof typeof parameters);
    return grantees.length === 0 ? [] : [[parameter, grantees] as const];
  });
  if (grants.length === 0) return { ACL: isPublic ? 'public-read' : 'bucket-owner-full-control' };
  return Object.fromEntries(grants.map(([parameter, grantees]) => [parameter, grantees.join(',')]));
}

/** Whether these are the default grants. They may be omitted for a server that does not support grants. */
export function isDefaultGrant({ ACL }: ObjectGrants): boolean {
  return ACL === 'bucket-owner-full-control';
}

function granteesOf(access: FileAccess | undefined, permission: Permission): readonly string[] {
  const grants: readonly Grant[] = access?.grants ?? [];
  return grants
    .filter(({ permissions }) => permissions.includes(permission))
    .map((grant) => grantee(grant.grantee));
}

/** Formats a grantee. Quotes and control characters are removed: they could end the name and start another grant. */
function grantee(name: string): string {
  const normalizedName = name.replace(/["\\\p{Cc}]/gu, '').trim();
  if (/^https?:\/\//i.test(normalizedName)) return `uri="${normalizedName}"`;
  return normalizedName.includes('@') ? `emailAddress="${normalizedName}"` : `id="${normalizedName}"`;
}

/**
 * Grants the owner of an object full control in addition to its explicit grants. Explicit grants replace the default
 * ones, and the ID of the owner is known only after the upload. Resolves to null, or to why that cannot be done, as a
 * clause: the object is delivered all the same. Rejects if another attempt may help.
 */
export async function grantOwnerFullControl(
  { location }: StorageSession,
  { client, signal }: S3RequestContext,
): Promise<string | null> {
  const object = { Bucket: location.bucket, Key: location.key };
  const options = { abortSignal: signal };
  try {
    const { Owner, Grants = [] } = await client.send(new GetObjectAclCommand(object), options);
    const id = Owner?.ID;
    if (id === undefined) return 'its access control list names no owner';
    if (Grants.some(({ Grantee, Permission }) => Permission === 'FULL_CONTROL' && Grantee?.ID === id))
      return null;
    const ownerGrant = { Grantee: { Type: 'CanonicalUser', ID: id }, Permission: 'FULL_CONTROL' } as const;
    const AccessControlPolicy = { Owner, Grants: [...Grants, ownerGrant] };
    await client.send(new PutObjectAclCommand({ ...object, AccessControlPolicy }), options);
    return null;
  } catch (error) {
    const status = parseS3Error(error)?.status ?? 0;
    if (status >= 200 && status < 300) return 'its access control list cannot be read';
    if (status < 400 || (status >= 500 && status !== 501)) throw error;
    return `the answer to a request of its access control list was status ${status}`;
  }
}
