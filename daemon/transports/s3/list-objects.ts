import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import type { StorageSession } from './storage-session.js';

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly modifiedAt: Date;
}

/** The objects in a folder of a bucket, and its subfolders, which end with a slash. */
interface Listing {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
}

/**
 * Lists the keys that begin with the key of the session: all of them, or with `delimiter` only those before the next
 * slash.
 */
export async function listObjects(
  session: StorageSession,
  { signal, delimiter }: { readonly signal: AbortSignal; readonly delimiter?: '/' },
): Promise<Listing> {
  const objects: ListedObject[] = [];
  const folders: string[] = [];
  let token: string | undefined;
  do {
    const page = await listPage(session, signal, { delimiter, token });
    for (const { Key, LastModified } of page.Contents ?? [])
      if (Key !== undefined && LastModified !== undefined)
        objects.push({ key: Key, modifiedAt: LastModified });
    for (const { Prefix } of page.CommonPrefixes ?? []) if (Prefix !== undefined) folders.push(Prefix);
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return { objects, folders };
}

/** Asks for one key, which shows whether the bucket exists and may be listed. */
export async function checkListing(session: StorageSession, signal: AbortSignal): Promise<void> {
  await listPage(session, signal, { maxKeys: 1 });
}

function listPage(
  session: StorageSession,
  signal: AbortSignal,
  page: {
    readonly delimiter?: '/' | undefined;
    readonly token?: string | undefined;
    readonly maxKeys?: number;
  },
): Promise<ListObjectsV2CommandOutput> {
  const { bucket: Bucket, key: Prefix } = session.location;
  const command = new ListObjectsV2Command({
    Bucket,
    Prefix,
    ...(page.delimiter === undefined ? {} : { Delimiter: page.delimiter }),
    ...(page.token === undefined ? {} : { ContinuationToken: page.token }),
    ...(page.maxKeys === undefined ? {} : { MaxKeys: page.maxKeys }),
  });
  return session.send(({ client, signal: abortSignal }) => client.send(command, { abortSignal }), { signal });
}
