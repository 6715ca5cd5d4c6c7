import { GetObjectAclCommand, PutObjectAclCommand } from '@aws-sdk/client-s3';
import { parseS3Error } from './map-storage-error.js';
import type { S3RequestContext, StorageSession } from './storage-session.js';

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
