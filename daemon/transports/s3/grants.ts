import { GetObjectAclCommand, PutObjectAclCommand } from '@aws-sdk/client-s3';
import type { FileAccess, Grant, Permission } from '../../jobs/output-files.js';
import { parseS3Error } from './map-storage-error.js';
import type { S3RequestContext, StorageSession } from './storage-session.js';

/** The grants of an object, by the names that the SDK's commands have for their headers. */
export interface ObjectGrants {
  readonly ACL?: 'public-read' | 'bucket-owner-full-control';
  readonly GrantRead?: string;
  readonly GrantFullControl?: string;
}

/** Everybody, as the service names them. */
const allUsers = 'http://acs.amazonaws.com/groups/global/AllUsers';

/**
 * What a delivered object is granted with (section 4.1): the owner of the bucket has full control of it where nothing else is said. Canned
 * grants and others exclude each other. Objects know no WRITE, only buckets do: it changes nothing.
 */
export function grantsFor(access: FileAccess | undefined): ObjectGrants {
  const readers = granteesOf(access, 'READ');
  const owners = granteesOf(access, 'FULL_CONTROL');
  const isPublic = access?.isPublic === true;
  if (readers.length === 0 && owners.length === 0)
    return { ACL: isPublic ? 'public-read' : 'bucket-owner-full-control' };
  const all = isPublic ? [...new Set([...readers, grantee(allUsers)])] : readers;
  return {
    ...(all.length === 0 ? {} : { GrantRead: all.join(',') }),
    ...(owners.length === 0 ? {} : { GrantFullControl: owners.join(',') }),
  };
}

/** Whether nobody asked for these: then a server that knows no grants may go without. */
export function isDefaultGrant({ ACL }: ObjectGrants): boolean {
  return ACL === 'bucket-owner-full-control';
}

function granteesOf(access: FileAccess | undefined, permission: Permission): readonly string[] {
  const grants: readonly Grant[] = access?.grants ?? [];
  return grants
    .filter(({ permissions }) => permissions.includes(permission))
    .map((grant) => grantee(grant.grantee));
}

/** A quote or a line break in the name would end it, and begin another grant. */
function grantee(name: string): string {
  const normalizedName = name.replace(/["\\\p{Cc}]/gu, '').trim();
  if (/^https?:\/\//i.test(normalizedName)) return `uri="${normalizedName}"`;
  return normalizedName.includes('@') ? `emailAddress="${normalizedName}"` : `id="${normalizedName}"`;
}

/**
 * Gives the owner of an object full control of it, beside what it was granted with: grants of one's own take the place of the usual ones,
 * and the name of the owner is known only now. Nothing is done where the keys may not look at grants.
 */
export async function grantOwnerFullControl(
  { location }: StorageSession,
  { client, signal }: S3RequestContext,
): Promise<void> {
  const object = { Bucket: location.bucket, Key: location.key };
  const options = { abortSignal: signal };
  try {
    const { Owner, Grants = [] } = await client.send(new GetObjectAclCommand(object), options);
    const id = Owner?.ID;
    if (id === undefined) return;
    if (Grants.some(({ Grantee, Permission }) => Permission === 'FULL_CONTROL' && Grantee?.ID === id)) return;
    const ownerGrant = { Grantee: { Type: 'CanonicalUser', ID: id }, Permission: 'FULL_CONTROL' } as const;
    const AccessControlPolicy = { Owner, Grants: [...Grants, ownerGrant] };
    await client.send(new PutObjectAclCommand({ ...object, AccessControlPolicy }), options);
  } catch (error) {
    const status = parseS3Error(error)?.status ?? 0;
    if (status < 400 || (status >= 500 && status !== 501)) throw error;
  }
}
