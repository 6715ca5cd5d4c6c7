import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { parseS3Error } from './map-storage-error.js';
import type { S3RequestContext, StorageSession } from './storage-session.js';

/** What a server reports about an object before it is downloaded. */
export interface ObjectFacts {
  /** Null if the server does not report it. */
  readonly sizeBytes: number | null;
  /**
   * Identifies the content (ETag); null if there is none or the server does not support ranges, then a download cannot
   * resume.
   */
  readonly version: string | null;
}

/** The facts of an object, and when it was stored. */
export interface ObjectStat extends ObjectFacts {
  /**
   * By the clock of the server; for a multipart upload possibly when the upload began. Null if the server does not
   * report it.
   */
  readonly modifiedAt: Date | null;
}

/** The body of an object or of a range of it. */
interface ObjectBody {
  readonly body: Readable;
  /** Size of the whole object. */
  readonly sizeBytes: number | null;
  readonly version: string | null;
  readonly modifiedAt: Date | null;
  /** Offset of the first byte of the body. */
  readonly fromByte: number;
  readonly isRange: boolean;
}

/** A range of an object to request, and its version. */
export interface ObjectRange {
  readonly fromByte: number;
  /** Exclusive. */
  readonly toByte: number;
  readonly version: string | null;
}

/** Requests an object or a range of it. Resolves to null if the version differs or the range does not exist. */
export async function getObject(
  { location }: StorageSession,
  { client, signal }: S3RequestContext,
  range: ObjectRange | null,
): Promise<ObjectBody | null> {
  const command = new GetObjectCommand({
    Bucket: location.bucket,
    Key: location.key,
    ...(range === null ? {} : { Range: `bytes=${range.fromByte}-${range.toByte - 1}` }),
    ...(range === null || range.version === null ? {} : { IfMatch: range.version }),
  });
  const response = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
    const status = parseS3Error(error)?.status;
    if (range !== null && (status === 416 || status === 412)) return null;
    throw error;
  });
  return response === null ? null : parseGetObjectOutput(response);
}

/**
 * Reads the size and version of an object by requesting its first byte, because an error response to HEAD has no body
 * that states the reason. An empty object has no first byte and is requested as a whole.
 */
export async function statObject(session: StorageSession, request: S3RequestContext): Promise<ObjectStat> {
  const firstByte = { fromByte: 0, toByte: 1, version: null };
  const response =
    (await getObject(session, request, firstByte)) ?? (await getObject(session, request, null));
  if (response === null) throw new TypeError('a range was returned for a request of the whole object');
  response.body.destroy();
  const { sizeBytes, modifiedAt } = response;
  return { sizeBytes, modifiedAt, version: response.isRange ? response.version : null };
}

/** The size of an uploaded object; 0 if it is missing, null if the keys may not read it. */
export async function headObjectSize(
  { location }: StorageSession,
  { client, signal }: S3RequestContext,
): Promise<number | null> {
  const command = new HeadObjectCommand({ Bucket: location.bucket, Key: location.key });
  try {
    return (await client.send(command, { abortSignal: signal })).ContentLength ?? null;
  } catch (error) {
    const status = parseS3Error(error)?.status ?? 0;
    if (status === 404) return 0;
    if (status === 403 || status === 405 || status === 501) return null;
    throw error;
  }
}

/** Whether the object has this ETag. */
export async function hasEtag(
  { location }: StorageSession,
  { client, signal }: S3RequestContext,
  etag: string,
): Promise<boolean> {
  const command = new HeadObjectCommand({ Bucket: location.bucket, Key: location.key });
  try {
    const { ETag } = await client.send(command, { abortSignal: signal });
    return ETag?.replaceAll('"', '') === etag;
  } catch (error) {
    if (parseS3Error(error) === null) throw error;
    return false;
  }
}

/** Deletes an object. No-op if absent. */
export async function removeS3Object(
  { location }: StorageSession,
  { client, signal }: S3RequestContext,
): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: location.bucket, Key: location.key });
  await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
    if (parseS3Error(error)?.status !== 404) throw error;
  });
}

function parseGetObjectOutput({
  Body,
  ContentRange,
  ContentLength,
  ETag,
  LastModified,
}: GetObjectCommandOutput): ObjectBody {
  // In Node, the body is always a Readable.
  const body = Body as Readable;
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/i.exec(ContentRange ?? '') ?? [];
  const isRange = ContentRange !== undefined;
  const sizeBytes = isRange ? (total === undefined ? null : Number(total)) : (ContentLength ?? null);
  const modifiedAt = LastModified ?? null;
  return { body, sizeBytes, version: ETag ?? null, modifiedAt, fromByte: Number(from ?? 0), isRange };
}

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
