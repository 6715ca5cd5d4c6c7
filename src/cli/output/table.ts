import { displayWidth, fitText } from '../../shared/text/display-width.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Paint } from './paint.js';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Columns of least worth are dropped first when the table is too wide; 1 is the least. */
  readonly worth: number;
  /** May be shortened to this many columns before anything is dropped. Absent: never shortened. */
  readonly leastWidth?: number;
  readonly isRight?: boolean;
  readonly paint?: (row: Row, text: string) => string;
}

/** How something for people may look: the columns that it may take, and whether it has colours. */
export interface Look {
  readonly width: number;
  readonly hasColour: boolean;
}

interface Sized<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly width: number;
}

const gap = '  ';

/**
 * A table that fits `width` terminal columns: long cells are shortened first, then columns dropped in the order of
 * their worth. Every line ends in a line break and none in a space. Cells are made safe for a terminal.
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): string {
  const sized = columns.map((column) => {
    const cells = rows.map((row) => safeText(column.text(row)));
    const widest = Math.max(displayWidth(column.title), ...cells.map(displayWidth));
    return { column, cells, width: widest };
  });
  const fitted = fit(sized, width);
  const head = line(fitted.map(({ column, width: columns }) => pad(column.title, columns, column)));
  const body = rows.map((row, index) =>
    line(
      fitted.map(({ column, cells, width: columns }) => {
        const padded = pad(fitText(cells[index] ?? '', columns), columns, column);
        const text = padded.trim();
        return column.paint === undefined
          ? padded
          : padded.replace(text, () => column.paint?.(row, text) ?? text);
      }),
    ),
  );
  return [paint.dim(head.trimEnd()), ...body.map((text) => text.trimEnd())]
    .map((text) => `${text}\n`)
    .join('');
}

function fit<Row>(sized: readonly Sized<Row>[], width: number): readonly Sized<Row>[] {
  const excess = totalWidth(sized) - width;
  if (excess <= 0) return sized;
  const shortened = shorten(sized, excess);
  if (totalWidth(shortened) <= width || sized.length === 1) return shortened;
  const least = Math.min(...sized.map(({ column }) => column.worth));
  const rest = sized.filter(({ column }) => column.worth !== least);
  return rest.length === 0 ? shortened : fit(rest, width);
}

function shorten<Row>(sized: readonly Sized<Row>[], excess: number): readonly Sized<Row>[] {
  let left = excess;
  return sized.map((entry) => {
    const { leastWidth } = entry.column;
    if (leastWidth === undefined || left <= 0) return entry;
    const given = Math.min(left, Math.max(0, entry.width - leastWidth));
    left -= given;
    return { ...entry, width: entry.width - given };
  });
}

function totalWidth<Row>(sized: readonly Sized<Row>[]): number {
  return sized.reduce((sum, { width }) => sum + width, gap.length * (sized.length - 1));
}

function pad<Row>(text: string, columns: number, column: Column<Row>): string {
  const space = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return column.isRight === true ? `${space}${text}` : `${text}${space}`;
}

function line(cells: readonly string[]): string {
  return cells.join(gap);
}
