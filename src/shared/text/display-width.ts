/** Ranges of characters that take two columns: East Asian wide ones and emoji. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

/**
 * Texts whose characters all take one column: ASCII, block elements and the other symbols that venc prints. Most
 * texts match.
 */
const narrow = /^[ -~▀-▟›…]*$/;

/** The number of columns that a text takes on a terminal. Combining marks take none. */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOf(character);
  return columns;
}

/**
 * Shortens a text to the given columns by replacing its middle with `…`, because the ends of URLs are the most
 * informative parts.
 */
export function fitText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 1) return columns === 1 ? '…' : '';
  const tailColumns = Math.floor((columns - 1) * 0.6);
  const characters = [...text];
  const head = sliceColumns(characters, columns - 1 - tailColumns);
  const tail = sliceColumns(characters.reverse(), tailColumns).reverse();
  return `${head.join('')}…${tail.join('')}`;
}

/** Shortens a text to the given columns by replacing its end with `…`. */
export function cutText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${sliceColumns([...text], columns - 1).join('')}…`;
}

function sliceColumns(characters: readonly string[], columns: number): string[] {
  const slice: string[] = [];
  let used = 0;
  for (const character of characters) {
    used += columnsOf(character);
    if (used > columns) break;
    slice.push(character);
  }
  return slice;
}

function columnsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/\p{Mark}|[\u200b-\u200d\u2060\ufeff]/u.test(character)) return 0;
  // Emoji below the ranges of wide characters. The two halves of a flag take two columns together.
  if (/(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u.test(character)) return 2;
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
