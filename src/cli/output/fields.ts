import { jsonText } from '../../shared/text/safe-text.js';
import { createTextColours } from './paint.js';
import { valueAt } from './project.js';
import { type TableStyle, table } from './table.js';

export { checkFields, parseFields, project } from './project.js';

/** Chosen fields of one record, one a line, with exact values. */
export function fieldTable(answer: unknown, paths: readonly string[], hasColour: boolean): string {
  const rows = paths.map((path) => ({ path, value: plain(valueAt(answer, path)) }));
  const columns = [
    { title: 'FIELD', priority: 1, text: (row: (typeof rows)[number]) => row.path },
    { title: 'VALUE', priority: 2, text: (row: (typeof rows)[number]) => row.value },
  ];
  return table(columns, rows, Number.POSITIVE_INFINITY, createTextColours(hasColour));
}

/** Chosen fields of many records as a table, with exact values; those named first are the last to be dropped. */
export function fieldsTable(
  answers: readonly unknown[],
  paths: readonly string[],
  { width, hasColour }: TableStyle,
): string {
  const columns = paths.map((path, index) => ({
    title: path.toUpperCase(),
    priority: paths.length - index,
    minWidth: 8,
    text: (answer: unknown) => plain(valueAt(answer, path)),
  }));
  return table(columns, answers, width, createTextColours(hasColour));
}

/** An exact value in one line. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plain).join(',');
  return typeof value === 'object' ? jsonText(value) : String(value);
}
