import { factLines } from './media-text.js';
import { createPaint } from './paint.js';
import { type Column, type Look, table } from './table.js';
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
  { title: 'NAME', worth: 4, leastWidth: 12, text: ({ name }) => name },
  { title: 'MODE', worth: 3, text: ({ mode }) => mode },
  { title: 'KEYS', worth: 2, isRight: true, text: ({ keys }) => String(keys) },
  { title: 'CREATED', worth: 1, text: (account) => humanTime(account.created_at) },
];

/** Accounts as a table, one line each. */
export function accountsTable(accounts: readonly AccountRecord[], { width, hasColour }: Look): string {
  return table(columns, accounts, width, createPaint(hasColour));
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
