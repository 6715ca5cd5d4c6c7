/** A column of a table that has to fit: its least and greatest width in cells, and what it is worth. */
export interface Column<Name extends string> {
  readonly name: Name;
  readonly least: number;
  readonly most: number;
  /** Where there is not room for all, the columns worth least go first. */
  readonly worth: number;
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
 * width, the worthiest first. At least one column stays, however narrow the terminal is.
 */
export function fitColumns<Name extends string>(
  columns: readonly Column<Name>[],
  width: number,
): readonly FittedColumn<Name>[] {
  const byWorth = [...columns].sort((a, b) => b.worth - a.worth);
  let kept = byWorth;
  while (kept.length > 1 && widthOf(kept) > width) kept = kept.slice(0, -1);

  const widths = new Map(kept.map((column) => [column.name, Math.min(column.least, width)]));
  let left = width - widthOf(kept);
  for (const column of kept) {
    const more = Math.max(0, Math.min(left, column.most - column.least));
    widths.set(column.name, (widths.get(column.name) ?? 0) + more);
    left -= more;
  }
  return columns.flatMap(({ name }) => {
    const fitted = widths.get(name);
    return fitted === undefined ? [] : [{ name, width: fitted }];
  });
}

function widthOf(columns: readonly Column<string>[]): number {
  return columns.reduce((sum, column) => sum + column.least, (columns.length - 1) * columnGap);
}
