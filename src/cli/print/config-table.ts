import { createPaint } from './paint.js';
import { type Column, table } from './table.js';

/** A key that is configured. */
export interface ConfigRecord {
  readonly key: string;
  readonly value: string;
}

/** What is configured as a table, one line a key. */
export function configTableText(
  records: readonly ConfigRecord[],
  { width, hasColour }: { readonly width: number; readonly hasColour: boolean },
): string {
  const columns: readonly Column<ConfigRecord>[] = [
    { title: 'KEY', worth: 2, text: ({ key }) => key },
    { title: 'VALUE', worth: 1, leastWidth: 24, text: ({ value }) => value },
  ];
  return table(columns, records, width, createPaint(hasColour));
}
