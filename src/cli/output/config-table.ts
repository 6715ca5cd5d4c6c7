import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

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
export function configTableText(records: readonly ConfigRecord[], { width, hasColour }: TableStyle): string {
  const columns: readonly Column<ConfigRecord>[] = [
    { title: 'KEY', priority: 3, text: ({ key }) => key },
    { title: 'VALUE', priority: 2, minWidth: 24, text: ({ value, default: fallback }) => value ?? fallback },
    { title: 'FROM', priority: 1, minWidth: 24, text: ({ from }) => from },
  ];
  return table(columns, records, width, createTextColours(hasColour));
}
