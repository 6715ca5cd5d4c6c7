import { cutText, displayWidth } from '../shared/text/display-width.js';
import type { StyledText, StyleText } from './tones.js';

/** A column of a table that has to fit: its least and greatest width in cells, and what it is worth. */
export interface ColumnSpec<Name extends string> {
  readonly name: Name;
  readonly minWidth: number;
  readonly maxWidth: number;
  /** Where there is not room for all, the columns worth least go first. */
  readonly priority: number;
  /** Where there is room left, the columns of the highest rank get it first; the rank is the worth where it is left out. */
  readonly growthPriority?: number;
}

/** A column that found room, and its width in cells. */
export interface FittedColumn<Name extends string> {
  readonly name: Name;
  readonly width: number;
}

/** Gap between two columns, in cells. */
export const columnGap = 1;

/**
 * The columns that find room in `width` cells, in their order. Room that is left widens them up to their greatest
 * width. At least one column stays, however narrow the terminal is.
 */
export function fitColumns<Name extends string>(
  columns: readonly ColumnSpec<Name>[],
  width: number,
): readonly FittedColumn<Name>[] {
  const byPriority = [...columns].sort((a, b) => b.priority - a.priority);
  let kept = byPriority;
  while (kept.length > 1 && minWidthOf(kept) > width) kept = kept.slice(0, -1);

  const widths = new Map(kept.map((column) => [column.name, Math.min(column.minWidth, width)]));
  let left = width - minWidthOf(kept);
  const rank = ({ growthPriority, priority }: ColumnSpec<Name>): number => growthPriority ?? priority;
  for (const column of [...kept].sort((a, b) => rank(b) - rank(a))) {
    const more = Math.max(0, Math.min(left, column.maxWidth - column.minWidth));
    widths.set(column.name, (widths.get(column.name) ?? 0) + more);
    left -= more;
  }
  return columns.flatMap(({ name }) => {
    const fitted = widths.get(name);
    return fitted === undefined ? [] : [{ name, width: fitted }];
  });
}

/** Cells that columns take together, the gaps between them included. */
export function widthOf(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, (columns.length - 1) * columnGap);
}

function minWidthOf(columns: readonly ColumnSpec<string>[]): number {
  return widthOf(columns.map(({ minWidth }) => ({ width: minWidth })));
}

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
