import { cutText, displayWidth } from '../shared/text/display-width.js';
import { columnGap, type FittedColumn } from './fit-columns.js';
import type { StyledText, StyleText } from './tones.js';

/** One row of a table: every cell in its column's width, cut off where it does not fit. */
export function rowText<Name extends string>(
  columns: readonly FittedColumn<Name>[],
  /** Makes the cell of a column; the width is for bars, which fill theirs. */
  cell: (name: Name, width: number) => StyledText,
  styleText: StyleText,
): string {
  const cells = columns.map(({ name, width }) => {
    const { text, ...style } = cell(name, width);
    const cut = cutText(text, width);
    return styleText(style, cut + ' '.repeat(Math.max(0, width - displayWidth(cut))));
  });
  return cells.join(' '.repeat(columnGap)).trimEnd();
}
