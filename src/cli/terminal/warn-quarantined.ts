import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from './io.js';

/** Remarks where a broken file of the user's was set aside to, when there was one. */
export function noteSetAside(io: Io, aside: string | null): void {
  if (aside === null) return;
  io.note(`venc: the file so far could not be read: it was set aside as ${safeText(aside)}\n`);
}
