import type { Environment } from '../../config/folders.js';
import { toAscii } from '../../shared/text/to-ascii.js';

/** Writes our own marks (bars, lines, `…`) as the locale can show them: as they are, or in ASCII. */
export function createSymbolWriter(env: Environment): (text: string) => string {
  return isUtf8Locale(env) ? (text) => text : toAscii;
}

/**
 * Whether the locale is one of UTF-8. The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set decides, as in POSIX. Where none is, it is
 * taken to be: on Windows, in containers and under cron nobody sets them, and the terminals of today know UTF-8.
 */
function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const name = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '');
  return name === undefined || /utf-?8/i.test(name);
}
