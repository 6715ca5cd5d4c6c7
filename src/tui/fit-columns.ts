/** A column of a table that has to fit: its least and greatest width in cells, and what it is worth. */
export interface Column<Name extends string> {
  readonly name: Name;
  readonly least: number;
  readonly most: number;
  /** Where there is not room for all, the columns worth least go first. */
  readonly worth: number;
  /** Where there is room left, the columns of the highest rank get it first; the rank is the worth where it is left out. */
  readonly growth?: number;
}

/** A column that found room, and its width in cells. */
export interface FittedColumn<Name extends string> {
  readonly name: Name;
  readonly width: number;
}

/** Cells between two columns. */
export const columnGap = 1;

/**
 * The columns that find room in `width` cells, in their order. Room that is left widens them up to their greatest
 * width. At least one column stays, however narrow the terminal is.
 */
export function fitColumns<Name extends string>(
  columns: readonly Column<Name>[],
  width: number,
): readonly FittedColumn<Name>[] {
  const byWorth = [...columns].sort((a, b) => b.worth - a.worth);
  let kept = byWorth;
  while (kept.length > 1 && leastOf(kept) > width) kept = kept.slice(0, -1);

  const widths = new Map(kept.map((column) => [column.name, Math.min(column.least, width)]));
  let left = width - leastOf(kept);
  const rank = ({ growth, worth }: Column<Name>): number => growth ?? worth;
  for (const column of [...kept].sort((a, b) => rank(b) - rank(a))) {
    const more = Math.max(0, Math.min(left, column.most - column.least));
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

function leastOf(columns: readonly Column<string>[]): number {
  return widthOf(columns.map(({ least }) => ({ width: least })));
}
