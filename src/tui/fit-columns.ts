import { cutText, displayWidth } from '../shared/text/display-width.js';
import type { StyledText, StyleText } from './tones.js';

/** A column of a table: its minimum and maximum width in cells, and its priority. */
export interface ColumnSpec<Name extends string> {
  readonly name: Name;
  readonly minWidth: number;
  readonly maxWidth: number;
  /** Columns with the lowest priority are dropped first if there is not enough space. */
  readonly priority: number;
  /** Columns with the highest growth priority get additional space first; defaults to `priority`. */
  readonly growthPriority?: number;
}

/** A column that fits, and its width in cells. */
export interface FittedColumn<Name extends string> {
  readonly name: Name;
  readonly width: number;
}

/** Gap between two columns, in cells. */
export const columnGap = 1;

/**
 * Selects the columns that fit into `width` cells, in their order. Remaining space widens them up to their maximum
 * width. At least one column is kept, however narrow the terminal is.
 */
export function fitColumns<Name extends string>(
  columns: readonly ColumnSpec<Name>[],
  width: number,
): readonly FittedColumn<Name>[] {
  const byPriority = [...columns].sort((a, b) => b.priority - a.priority);
  let kept = byPriority;
  while (kept.length > 1 && minWidthOf(kept) > width) kept = kept.slice(0, -1);

  const widths = new Map(kept.map((column) => [column.name, Math.min(column.minWidth, width)]));
  let remaining = width - minWidthOf(kept);
  const growthOf = ({ growthPriority, priority }: ColumnSpec<Name>): number => growthPriority ?? priority;
  for (const column of [...kept].sort((a, b) => growthOf(b) - growthOf(a))) {
    const more = Math.max(0, Math.min(remaining, column.maxWidth - column.minWidth));
    widths.set(column.name, (widths.get(column.name) ?? 0) + more);
    remaining -= more;
  }
  return columns.flatMap(({ name }) => {
    const fitted = widths.get(name);
    return fitted === undefined ? [] : [{ name, width: fitted }];
  });
}

/** The total width of columns in cells, including the gaps. */
export function widthOf(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, (columns.length - 1) * columnGap);
}

function minWidthOf(columns: readonly ColumnSpec<string>[]): number {
  return widthOf(columns.map(({ minWidth }) => ({ width: minWidth })));
}

/** Formats one row of a table. Each cell is padded or cut to the width of its column. */
export function rowText<Name extends string>(
  columns: readonly FittedColumn<Name>[],
  /** Creates the cell of a column; the width is for bars, which fill it. */
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
