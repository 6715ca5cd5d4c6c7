import type { Leftover } from '../../transfer/orphans.js';
import { prefixOf, removeObject, removeSegments, standingAt } from './segments.js';
import type { SwiftSession } from './session.js';

/** Takes a delivered object away, with its segments where it is a large one of ours. */
export async function removeFromSwift(session: SwiftSession, signal: AbortSignal): Promise<void> {
  const standing = await standingAt(session, signal);
  if (standing === null) return;
  const prefix = standing.isLarge ? await prefixOf(session, signal) : null;
  // First the list: what it leads to must be there as long as it is.
  await removeObject(session, session.place.object, signal);
  if (prefix !== null) await removeSegments(session, prefix, signal);
}

/** Takes away the segments that a killed program left, unless the object that they belong to came to stand. */
export async function sweepSwift(
  session: SwiftSession,
  { name }: Leftover,
  signal: AbortSignal,
): Promise<void> {
  const standing = await standingAt(session, signal);
  if (standing?.isLarge === true && (await prefixOf(session, signal)) === name) return;
  await removeSegments(session, name, signal);
}
