import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from './io.js';

/** Remarks where a broken file of the user's was set aside to, when there was one. */
export function warnQuarantined(io: Io, quarantinedPath: string | null): void {
  if (quarantinedPath === null) return;
  io.writeStderr(
    `venc: the file so far could not be read: it was set aside as ${safeText(quarantinedPath)}\n`,
  );
}
