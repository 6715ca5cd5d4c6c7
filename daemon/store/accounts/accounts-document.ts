import { isObject } from '../../../src/shared/util/is-object.js';
import type {
  Account,
  KeyKind,
  OpenHoursSpan,
  Pause,
  Presets,
  Quotas,
  Span,
  StoredSession,
} from '../account-store.js';

/** A key as it is stored: its hash, never the key itself. */
export interface StoredKey {
  /** A short random id, by which users name the key. */
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'full' | 'read-only';
  /**
   * Whether a read-only key is a viewer key. A field of its own, because earlier versions reject a file with an unknown
   * kind, and daemons of such versions on the same database would take the key for a full one. To them it is read-only.
   */
  readonly isViewer?: true;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly createdAt: string;
  /** What it is for, as its creator named it. Absent if it has no name. */
  readonly name?: string;
  /** When it expires, in ISO 8601. Absent if it does not. */
  readonly expiresAt?: string;
}

/** A worker key as it is stored. */
export type StoredWorkerKey = Omit<StoredKey, 'accountId' | 'kind' | 'isViewer'>;

/**
 * The content of `accounts.json`. Never edited in place. Worker keys are a list of their own: earlier versions ignore
 * it, while they reject a file that has a key of an unknown kind.
 */
export interface AccountsDocument {
  readonly accounts: readonly Account[];
  readonly keys: readonly StoredKey[];
  /** Absent in documents of earlier versions. */
  readonly workers?: readonly StoredWorkerKey[];
  /** The hashes of earlier keys of the owner, which no start makes the owner's again. Absent if there are none. */
  readonly retired?: readonly string[];
}

/** The document as older versions wrote it: accounts without notification secrets. */
export interface StoredAccounts extends Omit<AccountsDocument, 'accounts'> {
  readonly accounts: readonly StoredAccount[];
}

type StoredAccount = Omit<Account, 'notificationSecret'> & Partial<Pick<Account, 'notificationSecret'>>;

/** The document of a first start: no account yet. */
export const noAccounts: AccountsDocument = { accounts: [], keys: [] };

/** Adds an account, or replaces the one with its id. */
export function withAccount(document: AccountsDocument, account: Account): AccountsDocument {
  return { ...document, accounts: upsert(document.accounts, account) };
}

/** The account with another pause; undefined removes it. */
export function withPause({ pause: _, ...account }: Account, pause: Pause | undefined): Account {
  return pause === undefined ? account : { ...account, pause };
}

/** The account with another time for which the hours do not count; undefined removes it. */
export function withOpenHours(
  { openHours: _, ...account }: Account,
  openHours: OpenHoursSpan | undefined,
): Account {
  return openHours === undefined ? account : { ...account, openHours };
}

/** The account with other presets. */
export function withPresets({ presets: _, ...account }: Account, presets: Presets): Account {
  return Object.keys(presets).length === 0 ? account : { ...account, presets };
}

/** The account with other sessions. */
export function withSessions(
  { sessions: _, ...account }: Account,
  sessions: readonly StoredSession[],
): Account {
  return sessions.length === 0 ? account : { ...account, sessions };
}

/** Adds a key, or replaces the one with its id. */
export function withKey(document: AccountsDocument, key: StoredKey): AccountsDocument {
  return { ...document, keys: upsert(document.keys, key) };
}

/** The kind of a stored key. */
export function kindOf({ kind, isViewer }: Pick<StoredKey, 'kind' | 'isViewer'>): KeyKind {
  return isViewer === true ? 'viewer' : kind;
}

/** A kind as it is stored. */
export function storedKind(kind: KeyKind): Pick<StoredKey, 'kind' | 'isViewer'> {
  return kind === 'viewer' ? { kind: 'read-only', isViewer: true } : { kind };
}

/** Adds a worker key. */
export function withWorkerKey(document: AccountsDocument, key: StoredWorkerKey): AccountsDocument {
  return { ...document, workers: [...workerKeys(document), key] };
}

/** Removes the key of an account or of a worker that has this id. */
export function withoutKey(document: AccountsDocument, id: string): AccountsDocument {
  const keys = document.keys.filter((key) => key.id !== id);
  return { ...document, keys, workers: workerKeys(document).filter((key) => key.id !== id) };
}

/** Retires the owner's key with a hash: it is remembered, and expires. The key itself may be absent. */
export function withRetiredKey(
  document: AccountsDocument,
  hash: string,
  expiresAt: string,
): AccountsDocument {
  const keys = document.keys.map((key) => (key.hash === hash ? { ...key, expiresAt } : key));
  return { ...document, keys, retired: [...new Set([...(document.retired ?? []), hash])].sort() };
}

/** Whether a rotation has retired the key with a hash. */
export function isRetired({ retired = [] }: AccountsDocument, hash: string): boolean {
  return retired.includes(hash);
}

/** When a key expires, in milliseconds; infinite if it does not. */
export function expiryMsOf({ expiresAt }: Pick<StoredKey, 'expiresAt'>): number {
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

/** The worker keys. */
export function workerKeys({ workers = [] }: AccountsDocument): readonly StoredWorkerKey[] {
  return workers;
}

/** The keys of accounts and workers, whose ids are all different. */
export function allKeys(document: AccountsDocument): readonly StoredWorkerKey[] {
  return [...document.keys, ...workerKeys(document)];
}

/** The account with an id; null if there is none. */
export function accountById(document: AccountsDocument, id: string): Account | null {
  return document.accounts.find((account) => account.id === id) ?? null;
}

/** The account with exactly this name; null if there is none. */
export function accountByName(document: AccountsDocument, name: string): Account | null {
  return document.accounts.find((account) => account.name === name) ?? null;
}

/** An account and how many keys it has. */
export interface AccountSummary extends Account {
  readonly keyCount: number;
}

/** An account with the number of its keys. */
export function summaryOf(document: AccountsDocument, account: Account): AccountSummary {
  const keyCount = document.keys.filter((key) => key.accountId === account.id).length;
  return { ...account, keyCount };
}

/** Whether every account has its notification secret. */
export function hasAllSecrets(found: StoredAccounts): found is AccountsDocument {
  return found.accounts.every(({ notificationSecret }) => notificationSecret !== undefined);
}

/** Adds a notification secret to each account that has none. */
export function withMissingSecrets(found: StoredAccounts, newSecret: () => string): AccountsDocument {
  const accounts = found.accounts.map((account) => ({
    ...account,
    notificationSecret: account.notificationSecret ?? newSecret(),
  }));
  return { ...found, accounts };
}

/** Parses the content of `accounts.json`; null if any field is invalid. */
export function readAccountsDocument(value: unknown): StoredAccounts | null {
  if (!isObject(value) || !Array.isArray(value.accounts) || !Array.isArray(value.keys)) return null;
  const accounts: unknown[] = value.accounts;
  const keys: unknown[] = value.keys;
  if (!accounts.every(isAccount) || !keys.every(isStoredKey)) return null;
  const { workers, retired } = value;
  if (workers !== undefined && !isListOf(workers, isStoredWorkerKey)) return null;
  if (retired !== undefined && !isListOf(retired, isHash)) return null;
  return {
    ...{ accounts, keys },
    ...(workers === undefined ? {} : { workers }),
    ...(retired === undefined ? {} : { retired }),
  };
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function upsert<Item extends { readonly id: string }>(items: readonly Item[], item: Item): readonly Item[] {
  const isNew = items.every(({ id }) => id !== item.id);
  return isNew ? [...items, item] : items.map((known) => (known.id === item.id ? item : known));
}

function isAccount(value: unknown): value is StoredAccount {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.name === 'string' &&
    typeof value.isIntegration === 'boolean' &&
    (value.integrationSince === undefined || isTime(value.integrationSince)) &&
    typeof value.createdAt === 'string' &&
    (value.notificationSecret === undefined || isSecret(value.notificationSecret)) &&
    (value.pause === undefined || isPause(value.pause)) &&
    (value.openHours === undefined || isOpenHours(value.openHours)) &&
    (value.quotas === undefined || isQuotas(value.quotas)) &&
    (value.presets === undefined || isPresets(value.presets)) &&
    (value.sessions === undefined || isListOf(value.sessions, isStoredSession))
  );
}

function isStoredSession(value: unknown): value is StoredSession {
  return (
    isObject(value) &&
    isHash(value.hash) &&
    typeof value.keyId === 'string' &&
    isTime(value.createdAt) &&
    isTime(value.usedAt) &&
    (value.isLink === undefined || value.isLink === true)
  );
}

function isQuotas(value: unknown): value is Quotas {
  const isLimit = (limit: unknown) => limit === undefined || (typeof limit === 'number' && limit >= 0);
  return isObject(value) && [value.waitingJobs, value.minutesPerDay, value.hostedBytes].every(isLimit);
}

function isPause(value: unknown): value is Pause {
  return isSpan(value) && (!('isFrozen' in value) || value.isFrozen === true);
}

function isOpenHours(value: unknown): value is OpenHoursSpan {
  return isSpan(value) && value.seconds !== null;
}

function isSpan(value: unknown): value is Span {
  return (
    isObject(value) &&
    typeof value.since === 'string' &&
    (value.seconds === null || typeof value.seconds === 'number')
  );
}

function isPresets(value: unknown): value is Presets {
  return isObject(value) && Object.values(value).every(isObject);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(value);
}

function isStoredKey(value: unknown): value is StoredKey {
  return (
    isStoredWorkerKey(value) &&
    'accountId' in value &&
    typeof value.accountId === 'string' &&
    'kind' in value &&
    (value.kind === 'full' || value.kind === 'read-only') &&
    (!('isViewer' in value) || (value.isViewer === true && value.kind === 'read-only'))
  );
}

function isStoredWorkerKey(value: unknown): value is StoredWorkerKey {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    isHash(value.hash) &&
    typeof value.createdAt === 'string' &&
    (value.name === undefined || typeof value.name === 'string') &&
    (value.expiresAt === undefined || isTime(value.expiresAt))
  );
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
