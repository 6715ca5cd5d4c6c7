import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';
import { humanAge, humanTime } from './units.js';

/** A key as `venc keys list` prints it: neither the key nor anything made of it. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: 'full' | 'read-only';
  /** Name of its account. */
  readonly account: string;
  readonly created_at: string;
  /** null if no use is known of. */
  readonly last_used_at: string | null;
}

/** Keys as a table, one line each. */
export function keysTable(
  keys: readonly KeyRecord[],
  { width, hasColour, now }: TableStyle & { readonly now: Date },
): string {
  const columns: readonly Column<KeyRecord>[] = [
    { title: 'ID', priority: 5, text: ({ id }) => id },
    { title: 'KIND', priority: 3, text: ({ kind }) => kind },
    { title: 'ACCOUNT', priority: 4, minWidth: 12, text: ({ account }) => account },
    { title: 'CREATED', priority: 1, text: (key) => humanTime(key.created_at) },
    { title: 'LAST USE', priority: 2, text: (key) => lastUse(key, now) },
  ];
  return table(columns, keys, width, createTextColours(hasColour));
}

function lastUse({ last_used_at: time }: KeyRecord, now: Date): string {
  return time === null ? 'never' : `${humanAge(time, now)} ago`;
}
