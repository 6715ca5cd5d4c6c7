import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

/** A target as `venc target list` prints it: its key is nowhere in it. */
export interface TargetRecord {
  readonly name: string;
  readonly url: string;
  /** Whether commands talk to it where nothing else is said. */
  readonly in_use: boolean;
}

/** Targets as a table, one line each. */
export function targetsTable(targets: readonly TargetRecord[], { width, hasColour }: TableStyle): string {
  const columns: readonly Column<TargetRecord>[] = [
    { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
    { title: 'IN USE', priority: 1, text: ({ in_use: isUsed }) => (isUsed ? 'yes' : '') },
    { title: 'URL', priority: 2, minWidth: 24, text: ({ url }) => url },
  ];
  return table(columns, targets, width, createTextColours(hasColour));
}
