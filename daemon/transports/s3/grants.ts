import type { FileAccess, Grant, Permission } from '../../jobs/access.js';

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
