import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from '../terminal/io.js';

/** Remarks fields of a request that nobody knows, with what may have been meant. `where` stands in front, such as `line 3: `. */
export async function warnUnknownFields(request: unknown, io: Io, where = ''): Promise<void> {
  const { findUnknownFields } = await import('../../shared/settings/unknown-fields.js');
  for (const { path, hint } of findUnknownFields(request)) {
    io.writeStderr(`venc: ${where}warning: unknown field ${safeText(path)}: it is ignored\n`);
    if (hint !== null) io.writeStderr(`venc: hint: ${safeText(hint)}\n`);
  }
}
