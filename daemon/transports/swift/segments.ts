import { randomBytes } from 'node:crypto';
import type { Orphan } from '../../transfer/cleanup-journal.js';
import type { SwiftSession } from './swift-session.js';

/** The state of the object at the destination. */
export interface ObjectState {
  /** Null if the server does not report it. */
  readonly sizeBytes: number | null;
  /** MD5 of the object; for a large object, the MD5 of the ETags of its segments. */
  readonly etag: string | null;
  /** Whether it is a static large object: a manifest with segments. */
  readonly isLarge: boolean;
}

/**
 * Folder of the segments of large objects, in the container of the object. Other programs use a separate container, but
 * a user who may write to one container may lack access to another.
 */
const folder = '.venc-segments';
const ownSegmentPattern = new RegExp(`^/?[^/]+/(${folder}/[0-9a-f]{16}/)[^/]+$`);

/** Creates a unique prefix for the segments of one object. */
export function segmentsPrefix(): string {
  return `${folder}/${randomBytes(8).toString('hex')}/`;
}

/** The name of a segment, by its index from 0. */
export function segmentName(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(8, '0')}`;
}

/** The state of the object of the session; null if absent. */
export async function readObjectState(
  session: SwiftSession,
  signal: AbortSignal,
): Promise<ObjectState | null> {
  const { status, headers } = await session.call({ method: 'HEAD', acceptedStatuses: [404] }, signal);
  if (status === 404) return null;
  const length = headers['content-length'];
  return {
    sizeBytes: length === undefined ? null : Number(length),
    etag: headers.etag?.replaceAll('"', '') ?? null,
    isLarge: /^true$/i.test(headers['x-static-large-object'] ?? ''),
  };
}

/** The prefix of the segments of the object, if it is a large object that venc uploaded; else null. */
export async function readSegmentsPrefix(session: SwiftSession, signal: AbortSignal): Promise<string | null> {
  const query = '?multipart-manifest=get&format=raw';
  const { status, text } = await session.call({ method: 'GET', query, acceptedStatuses: [404] }, signal);
  const [first] = status === 404 ? [] : parseList(text);
  return ownSegmentPattern.exec(textOf(first, 'path') ?? '')?.[1] ?? null;
}

/** Deletes all segments with a prefix. No-op if absent. */
export async function removeSegments(
  session: SwiftSession,
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  const query = `?format=json&prefix=${encodeURIComponent(prefix)}`;
  for (;;) {
    const { status, text } = await session.call(
      { method: 'GET', object: null, query, acceptedStatuses: [404] },
      signal,
    );
    const names = status === 404 ? [] : parseList(text).flatMap((entry) => textOf(entry, 'name') ?? []);
    if (names.length === 0) return;
    for (const name of names) await removeSwiftObject(session, name, signal);
  }
}

/** Deletes one object. No-op if absent. */
export async function removeSwiftObject(
  session: SwiftSession,
  object: string,
  signal: AbortSignal,
): Promise<void> {
  await session.call({ method: 'DELETE', object, acceptedStatuses: [404] }, signal);
}

function parseList(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function textOf(entry: unknown, name: string): string | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const value: unknown = Reflect.get(entry, name);
  return typeof value === 'string' ? value : null;
}

/** Deletes an uploaded object, with its segments if it is a large object of venc. */
export async function removeFromSwift(session: SwiftSession, signal: AbortSignal): Promise<void> {
  const objectState = await readObjectState(session, signal);
  if (objectState === null) return;
  const prefix = objectState.isLarge ? await readSegmentsPrefix(session, signal) : null;
  // Delete the manifest first, so that it never refers to missing segments.
  await removeSwiftObject(session, session.location.object, signal);
  if (prefix !== null) await removeSegments(session, prefix, signal);
}

/** Deletes the segments that a killed process left, unless their manifest was created. */
export async function removeSwiftOrphan(
  session: SwiftSession,
  { name }: Orphan,
  signal: AbortSignal,
): Promise<void> {
  const objectState = await readObjectState(session, signal);
  if (objectState?.isLarge === true && (await readSegmentsPrefix(session, signal)) === name) return;
  await removeSegments(session, name, signal);
}
