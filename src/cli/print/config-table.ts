import { createPaint } from './paint.js';
import { type Column, type Look, table } from './table.js';

/** A value that goes where no flag says otherwise. */
export interface ConfigRecord {
  readonly key: string;
  readonly value: string;
  /** The environment variable or the file that it comes from. */
  readonly from: string;
}

/** Such values as a table, one line a key. */
export function configTableText(records: readonly ConfigRecord[], { width, hasColour }: Look): string {
  const columns: readonly Column<ConfigRecord>[] = [
    { title: 'KEY', worth: 3, text: ({ key }) => key },
    { title: 'VALUE', worth: 2, leastWidth: 24, text: ({ value }) => value },
    { title: 'FROM', worth: 1, leastWidth: 24, text: ({ from }) => from },
  ];
  return table(columns, records, width, createPaint(hasColour));
}
