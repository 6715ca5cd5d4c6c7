import type { Orphan } from '../../transfer/orphans.js';
import { readObjectState, readSegmentsPrefix, removeSegments, removeSwiftObject } from './segments.js';
import type { SwiftSession } from './swift-session.js';

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
