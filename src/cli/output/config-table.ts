import { createPaint } from './paint.js';
import { type Column, type Look, table } from './table.js';

/** A key of the configuration and the value that applies where no flag says otherwise. */
export interface ConfigRecord {
  readonly key: string;
  /** null where only the default applies. */
  readonly value: string | null;
  /** The environment variable or the file that it comes from, or `default`. */
  readonly from: string;
  /** What applies where nothing is configured, in words where it is no value. */
  readonly default: string;
}

/** The keys as a table, one line a key. */
export function configTableText(records: readonly ConfigRecord[], { width, hasColour }: Look): string {
  const columns: readonly Column<ConfigRecord>[] = [
    { title: 'KEY', worth: 3, text: ({ key }) => key },
    { title: 'VALUE', worth: 2, leastWidth: 24, text: ({ value, default: otherwise }) => value ?? otherwise },
    { title: 'FROM', worth: 1, leastWidth: 24, text: ({ from }) => from },
  ];
  return table(columns, records, width, createPaint(hasColour));
}
