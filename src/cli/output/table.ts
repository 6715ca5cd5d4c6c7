import { displayWidth, fitText } from '../../shared/text/display-width.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { TextColours } from './paint.js';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Columns with the lowest priority are dropped first when the table is too wide; 1 is the lowest. */
  readonly priority: number;
  /** Minimum width of the column; absent if it cannot be shortened. */
  readonly minWidth?: number;
  readonly isRightAligned?: boolean;
  readonly paint?: (row: Row, text: string) => string;
}

/** The available width, and whether colours are allowed. */
export interface TableStyle {
  readonly width: number;
  readonly hasColour: boolean;
}

interface MeasuredColumn<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly width: number;
}

const gap = '  ';

/**
 * Formats a table for a terminal of `width` columns. First long cells are shortened, then the columns with the lowest
 * priority are dropped. Lines have no trailing spaces. Cells are made safe for a terminal.
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: TextColours,
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

function fit<Row>(sized: readonly MeasuredColumn<Row>[], width: number): readonly MeasuredColumn<Row>[] {
  const overflow = totalWidth(sized) - width;
  if (overflow <= 0) return sized;
  const shortened = shorten(sized, overflow);
  if (totalWidth(shortened) <= width || sized.length === 1) return shortened;
  const lowestPriority = Math.min(...sized.map(({ column }) => column.priority));
  const rest = sized.filter(({ column }) => column.priority !== lowestPriority);
  return rest.length === 0 ? shortened : fit(rest, width);
}

function shorten<Row>(
  sized: readonly MeasuredColumn<Row>[],
  overflow: number,
): readonly MeasuredColumn<Row>[] {
  let remaining = overflow;
  return sized.map((entry) => {
    const { minWidth } = entry.column;
    if (minWidth === undefined || remaining <= 0) return entry;
    const given = Math.min(remaining, Math.max(0, entry.width - minWidth));
    remaining -= given;
    return { ...entry, width: entry.width - given };
  });
}

function totalWidth<Row>(sized: readonly MeasuredColumn<Row>[]): number {
  return sized.reduce((sum, { width }) => sum + width, gap.length * (sized.length - 1));
}

function pad<Row>(text: string, columns: number, column: Column<Row>): string {
  const space = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return column.isRightAligned === true ? `${space}${text}` : `${text}${space}`;
}

function line(cells: readonly string[]): string {
  return cells.join(gap);
}
