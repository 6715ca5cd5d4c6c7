import { factLines } from './media-text.js';
import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';
import { humanTime } from './units.js';

/** An account as `venc accounts` prints it. */
export interface AccountRecord {
  readonly name: string;
  /** In integration mode every job is a test job. */
  readonly mode: 'live' | 'integration';
  readonly created_at: string;
  /** How many keys it has. */
  readonly keys: number;
}

const columns: readonly Column<AccountRecord>[] = [
  { title: 'NAME', priority: 4, minWidth: 12, text: ({ name }) => name },
  { title: 'MODE', priority: 3, text: ({ mode }) => mode },
  { title: 'KEYS', priority: 2, isRightAligned: true, text: ({ keys }) => String(keys) },
  { title: 'CREATED', priority: 1, text: (account) => humanTime(account.created_at) },
];

/** Accounts as a table, one line each. */
export function accountsTable(accounts: readonly AccountRecord[], { width, hasColour }: TableStyle): string {
  return table(columns, accounts, width, createTextColours(hasColour));
}

/** One account, one fact a line. */
export function accountText(account: AccountRecord): string {
  const lines = factLines([
    ['name', account.name],
    ['mode', account.mode],
    ['created', humanTime(account.created_at)],
    ['keys', String(account.keys)],
  ]);
  return lines.map((line) => `${line}\n`).join('');
}
