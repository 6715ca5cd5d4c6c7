import { redact } from '../../shared/redact.js';
import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';
import { humanAge, humanTime } from './units.js';
import { factLines } from './wrap-text.js';

/** A key of the configuration and its value. */
export interface ConfigRecord {
  readonly key: string;
  /** null if only the default applies. */
  readonly value: string | null;
  /** The source of the value: an environment variable, a file, or `default`. */
  readonly from: string;
  /** The default value, or its description. */
  readonly default: string;
}

/** A target as `venc target list` prints it, without its key. */
export interface TargetRecord {
  readonly name: string;
  readonly url: string;
  /** Whether commands use it by default. */
  readonly in_use: boolean;
}

/** A preset as `venc preset list` prints it, without passwords. */
export interface PresetRecord {
  readonly name: string;
  /** A request without an input. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Masks the passwords and keys of a preset. */
export function presetRecord(name: string, settings: PresetRecord['settings']): PresetRecord {
  const masked: unknown = JSON.parse(JSON.stringify(settings), (key, value: unknown) =>
    key === 'api_key' ? '***' : typeof value === 'string' ? redact(value) : value,
  );
  return { name, settings: typeof masked === 'object' && masked !== null ? { ...masked } : {} };
}

function settingsText({ output, outputs = output, ...job }: PresetRecord['settings']): string {
  const [first, ...others]: readonly unknown[] = Array.isArray(outputs) ? outputs : [outputs];
  const several = others.length === 0 ? null : `${others.length + 1} outputs`;
  return [...pairs(job), ...(several === null ? pairs(first) : [several])].join(' ');
}

function pairs(settings: unknown): readonly string[] {
  return Object.entries(settings ?? {}).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

/** An account as `venc accounts` prints it. */
export interface AccountRecord {
  readonly name: string;
  /** In integration mode every job is a test job. */
  readonly mode: 'live' | 'integration';
  readonly created_at: string;
  /** The number of its keys. */
  readonly keys: number;
}

/** One account as lines of facts. */
export function accountText(account: AccountRecord): string {
  const lines = factLines([
    ['name', account.name],
    ['mode', account.mode],
    ['created', humanTime(account.created_at)],
    ['keys', String(account.keys)],
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

/** A key as `venc keys list` prints it, without the key itself or its hash. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: 'full' | 'read-only' | 'worker';
  /** Name of its account; null for a worker key, which belongs to none. */
  readonly account: string | null;
  readonly created_at: string;
  /** Null if no use is recorded. */
  readonly last_used_at: string | null;
}

function lastUse({ last_used_at: time }: KeyRecord, now: Date): string {
  return time === null ? 'never' : `${humanAge(time, now)} ago`;
}

/** Saved credentials as `venc credentials list` prints them: without user and secret. */
export interface CredentialRecord {
  readonly name: string;
  /** Null for all schemes. */
  readonly scheme: string | null;
  readonly account: string;
  /** Whether they are used for URLs of the scheme that name none. */
  readonly default: boolean;
  readonly created_at: string;
}

/** What commands of the group "setup" list, by the plural of its name. */
export interface SetupRecords {
  readonly accounts: AccountRecord;
  readonly credentials: CredentialRecord;
  readonly keys: KeyRecord;
  readonly presets: PresetRecord;
  readonly settings: ConfigRecord;
  readonly targets: TargetRecord;
}

type Columns = { readonly [Name in keyof SetupRecords]: readonly Column<SetupRecords[Name]>[] };

const columnsAt = (now: Date): Columns => ({
  accounts: [
    { title: 'NAME', priority: 4, minWidth: 12, text: ({ name }) => name },
    { title: 'MODE', priority: 3, text: ({ mode }) => mode },
    { title: 'KEYS', priority: 2, isRightAligned: true, text: ({ keys }) => String(keys) },
    { title: 'CREATED', priority: 1, text: (account) => humanTime(account.created_at) },
  ],
  credentials: [
    { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
    { title: 'SCHEME', priority: 2, text: ({ scheme }) => scheme ?? 'all' },
    { title: 'DEFAULT', priority: 1, text: ({ default: isDefault }) => (isDefault ? 'yes' : '') },
    { title: 'ACCOUNT', priority: 2, text: ({ account }) => account },
    { title: 'CREATED', priority: 1, text: ({ created_at: at }) => humanTime(at) },
  ],
  keys: [
    { title: 'ID', priority: 5, text: ({ id }) => id },
    { title: 'KIND', priority: 3, text: ({ kind }) => kind },
    { title: 'ACCOUNT', priority: 4, minWidth: 12, text: ({ account }) => account ?? '' },
    { title: 'CREATED', priority: 1, text: (key) => humanTime(key.created_at) },
    { title: 'LAST USE', priority: 2, text: (key) => lastUse(key, now) },
  ],
  presets: [
    { title: 'NAME', priority: 2, minWidth: 8, text: ({ name }) => name },
    { title: 'SETTINGS', priority: 1, minWidth: 24, text: ({ settings }) => settingsText(settings) },
  ],
  settings: [
    { title: 'KEY', priority: 3, text: ({ key }) => key },
    { title: 'VALUE', priority: 2, minWidth: 24, text: ({ value, default: fallback }) => value ?? fallback },
    { title: 'FROM', priority: 1, minWidth: 24, text: ({ from }) => from },
  ],
  targets: [
    { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
    { title: 'IN USE', priority: 1, text: ({ in_use: isUsed }) => (isUsed ? 'yes' : '') },
    { title: 'URL', priority: 2, minWidth: 24, text: ({ url }) => url },
  ],
});

/** Records as a table, one line each. */
export function setupTable<Name extends keyof SetupRecords>(
  name: Name,
  records: readonly SetupRecords[Name][],
  { width, hasColour, now }: TableStyle & { readonly now: Date },
): string {
  return table(columnsAt(now)[name], records, width, createTextColours(hasColour));
}
