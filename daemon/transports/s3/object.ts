import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
} from '@aws-sdk/client-s3';
import { parseS3Error } from './map-storage-error.js';
import type { S3RequestContext, StorageSession } from './storage-session.js';

/** What a server tells of an object before any of it is taken. */
export interface ObjectFacts {
  /** Null where the server does not tell. */
  readonly sizeBytes: number | null;
  /** Tells one content from another; null where there is none, or where the server sends no ranges: then there is no going on. */
  readonly version: string | null;
}

/** A range of an object, or all of it, as its bytes. */
export interface ObjectBody {
  readonly body: Readable;
  /** Of all of the object. */
  readonly sizeBytes: number | null;
  readonly version: string | null;
  /** Where the bytes begin in it. */
  readonly fromByte: number;
  readonly isRange: boolean;
}

/** Which bytes of an object are wanted, of which version. */
export interface ObjectRange {
  readonly fromByte: number;
  /** The first one that is not wanted. */
  readonly toByte: number;
  readonly version: string | null;
}

/** Asks for an object or a range of it. Null where it is another version by now, or has no such bytes. */
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
 * Looks at an object by asking for its first byte: a HEAD would be refused without a word of why. An object without any byte has no first
 * one, and is looked at as a whole.
 */
export async function statObject(session: StorageSession, request: S3RequestContext): Promise<ObjectFacts> {
  const firstByte = { fromByte: 0, toByte: 1, version: null };
  const response =
    (await getObject(session, request, firstByte)) ?? (await getObject(session, request, null));
  if (response === null) throw new TypeError('an object was asked for as a whole, and answered as a range');
  response.body.destroy();
  return { sizeBytes: response.sizeBytes, version: response.isRange ? response.version : null };
}

/** The size of an object that was delivered; null where the server does not tell, since the keys may write and not read. */
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

/** Whether what stands under the name has this tag. */
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

/** Takes an object away. That there is none is as good. */
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
}: GetObjectCommandOutput): ObjectBody {
  // In Node it is always a stream of Node's.
  const body = Body as Readable;
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/i.exec(ContentRange ?? '') ?? [];
  const isRange = ContentRange !== undefined;
  const sizeBytes = isRange ? (total === undefined ? null : Number(total)) : (ContentLength ?? null);
  return { body, sizeBytes, version: ETag ?? null, fromByte: Number(from ?? 0), isRange };
}
