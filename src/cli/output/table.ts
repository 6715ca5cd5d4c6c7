import { displayWidth, fitText } from '../../shared/text/display-width.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { TextColours } from './paint.js';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /**
   * Columns with the lowest priority are dropped first when the table is too wide; 1 is the lowest. Those without any
   * text are dropped before all others.
   */
  readonly priority: number;
  /** Minimum width of the column; absent if it cannot be shortened. */
  readonly minWidth?: number;
  /** A lower minimum, before this column or one with a higher priority is dropped. */
  readonly narrowWidth?: number;
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
 * Formats a table for a terminal of `width` columns. First long cells are shortened, those of the widest column first,
 * then the columns with the lowest priority are dropped. Lines have no trailing spaces. Cells are made safe for a terminal.
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
  if (totalWidth(sized) <= width) return sized;
  const shortened = shorten(sized, width, ({ minWidth }) => minWidth);
  if (totalWidth(shortened) <= width || sized.length === 1) return shortened;
  const lowestPriority = Math.min(...sized.map(priorityOf));
  const lowest = sized.filter((entry) => priorityOf(entry) === lowestPriority);
  if (lowest.some((entry) => entry.column.narrowWidth !== undefined && !isEmpty(entry))) {
    const narrow = shorten(sized, width, ({ minWidth, narrowWidth = minWidth }) => narrowWidth);
    if (totalWidth(narrow) <= width) return narrow;
  }
  const rest = sized.filter((entry) => !lowest.includes(entry));
  return rest.length === 0 ? shortened : fit(rest, width);
}

function priorityOf<Row>(entry: MeasuredColumn<Row>): number {
  return isEmpty(entry) ? 0 : entry.column.priority;
}

function isEmpty<Row>({ cells }: MeasuredColumn<Row>): boolean {
  return cells.every((cell) => cell === '');
}

/** Shortens columns to at least `minOf` until the table fits, the widest one first. */
function shorten<Row>(
  sized: readonly MeasuredColumn<Row>[],
  width: number,
  minOf: (column: Column<Row>) => number | undefined,
): readonly MeasuredColumn<Row>[] {
  const widths = sized.map((entry) => entry.width);
  for (let overflow = totalWidth(sized) - width; overflow > 0; overflow -= 1) {
    const spare = sized.map(({ column }, index) => {
      const own = widths[index] ?? 0;
      return own > (minOf(column) ?? own) ? own : 0;
    });
    const widest = Math.max(...spare);
    if (widest === 0) break;
    widths[spare.lastIndexOf(widest)] = widest - 1;
  }
  return sized.map((entry, index) => ({ ...entry, width: widths[index] ?? entry.width }));
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
