import { randomBytes } from 'node:crypto';
import type { Orphan } from '../../transfer/cleanup-journal.js';
import type { SwiftSession } from './swift-session.js';

/** What stands at the destination before, or after. */
export interface ObjectState {
  /** Null where the server does not tell. */
  readonly sizeBytes: number | null;
  /** MD5 of the object; of its segments' where it is a large one. */
  readonly etag: string | null;
  /** Whether it is a list of segments. */
  readonly isLarge: boolean;
}

/**
 * Folder of the segments of large objects, in the container of the object itself: a user who may write the one may write the others, which
 * is not so with a container of their own, as other programs have it.
 */
const folder = '.venc-segments';
const ownSegmentPattern = new RegExp(`^/?[^/]+/(${folder}/[0-9a-f]{16}/)[^/]+$`);

/** A new folder for the segments of one object. */
export function segmentsPrefix(): string {
  return `${folder}/${randomBytes(8).toString('hex')}/`;
}

/** The name of a segment, by its number from 0. */
export function segmentName(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(8, '0')}`;
}

/** What stands under the name of the session's object; null where nothing does. */
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

/** The folder that the segments of the session's object lie in, where it is a large one that was delivered from here; else null. */
export async function readSegmentsPrefix(session: SwiftSession, signal: AbortSignal): Promise<string | null> {
  const query = '?multipart-manifest=get&format=raw';
  const { status, text } = await session.call({ method: 'GET', query, acceptedStatuses: [404] }, signal);
  const [first] = status === 404 ? [] : parseList(text);
  return ownSegmentPattern.exec(textOf(first, 'path') ?? '')?.[1] ?? null;
}

/** Takes away every segment below a folder. That there is none is as good. */
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

/** Takes one object away. That there is none is as good. */
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

/** Takes a delivered object away, with its segments where it is a large one of ours. */
export async function removeFromSwift(session: SwiftSession, signal: AbortSignal): Promise<void> {
  const objectState = await readObjectState(session, signal);
  if (objectState === null) return;
  const prefix = objectState.isLarge ? await readSegmentsPrefix(session, signal) : null;
  // First the list: what it leads to must be there as long as it is.
  await removeSwiftObject(session, session.location.object, signal);
  if (prefix !== null) await removeSegments(session, prefix, signal);
}

/** Takes away the segments that a killed program left, unless the object that they belong to came to stand. */
export async function removeSwiftOrphan(
  session: SwiftSession,
  { name }: Orphan,
  signal: AbortSignal,
): Promise<void> {
  const objectState = await readObjectState(session, signal);
  if (objectState?.isLarge === true && (await readSegmentsPrefix(session, signal)) === name) return;
  await removeSegments(session, name, signal);
}
