import { cutText, displayWidth } from '../shared/text/display-width.js';
import { columnGap, type FittedColumn } from './fit-columns.js';
import type { Paint, TintedText } from './tones.js';

/** One row of a table: every cell in its column's width, cut off where it does not fit. */
export function rowText<Name extends string>(
  columns: readonly FittedColumn<Name>[],
  /** Makes the cell of a column; the width is for bars, which fill theirs. */
  cell: (name: Name, width: number) => TintedText,
  paint: Paint,
): string {
  const cells = columns.map(({ name, width }) => {
    const { text, ...look } = cell(name, width);
    const cut = cutText(text, width);
    return paint(look, cut + ' '.repeat(Math.max(0, width - displayWidth(cut))));
  });
  return cells.join(' '.repeat(columnGap)).trimEnd();
}
