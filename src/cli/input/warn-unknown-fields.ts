import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from '../terminal/io.js';

/** Remarks fields of a request that nobody knows, with what may have been meant. `where` stands in front, such as `line 3: `. */
export async function noteUnknownFields(request: unknown, io: Io, where = ''): Promise<void> {
  const { unknownFieldsOf } = await import('../../shared/settings/unknown-fields.js');
  for (const { path, hint } of unknownFieldsOf(request)) {
    io.note(`venc: ${where}warning: unknown field ${safeText(path)}: it is ignored\n`);
    if (hint !== null) io.note(`venc: hint: ${safeText(hint)}\n`);
  }
}
