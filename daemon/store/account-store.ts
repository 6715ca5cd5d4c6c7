import type { RequestFields } from '../../src/shared/settings/setting.js';

/**
 * Kinds of API keys (service document, section 5): a read-only key may read input and output details and progress. A
 * viewer key, an addition, may read everything of its account.
 */
export type KeyKind = 'full' | 'read-only' | 'viewer';

/** An account, which owns jobs, uploads and keys. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Integration mode: every job is a test job. */
  readonly isIntegration: boolean;
  /** When integration mode was last turned on, in ISO 8601. Absent if earlier versions did, or if it never was. */
  readonly integrationSince?: string;
  readonly createdAt: string;
  /** The secret that signs notifications, in the form of Standard Webhooks: `whsec_` and base64. */
  readonly notificationSecret: string;
  /** The pause of its jobs; that of the account `default` holds for the jobs of all accounts. */
  readonly pause?: Pause;
  /** Of the account `default`: for how long jobs start outside the hours of the daemons (`--hours`) as well. */
  readonly openHours?: OpenHoursSpan;
  /** Absent if it has no limits, as the account `default`, which is the owner's. */
  readonly quotas?: Quotas;
  /** Its presets, by name. */
  readonly presets?: Presets;
  /** Who is signed in at the page. Absent if nobody is. */
  readonly sessions?: readonly StoredSession[];
}

/** A session of the page, or a link that signs in once. */
export interface StoredSession {
  /** SHA-256 of its token, 64 hexadecimal digits. */
  readonly hash: string;
  /** Short id of the key that signed in. */
  readonly keyId: string;
  /** In ISO 8601. */
  readonly createdAt: string;
  /** When it was last used, in ISO 8601; within an hour. */
  readonly usedAt: string;
  /** Whether it is a link, which no cookie can have. */
  readonly isLink?: true;
}

/** Presets by name: requests without an input. */
export type Presets = Readonly<Record<string, RequestFields>>;

/** The limits of an account: creates are rejected once one is reached. An absent one is unlimited. */
export interface Quotas {
  /** The number of jobs that wait. */
  readonly waitingJobs?: number;
  /** Minutes of finished outputs on one UTC day. */
  readonly minutesPerDay?: number;
  /** Bytes of hosted outputs that have not expired. */
  readonly hostedBytes?: number;
}

/** A time for which something holds. */
export interface Span {
  /** When it began, in ISO 8601. */
  readonly since: string;
  /** Its length in seconds; null if it holds until it is ended. */
  readonly seconds: number | null;
}

/** A time with an end for which the hours do not count. */
export interface OpenHoursSpan extends Span {
  readonly seconds: number;
}

/** A pause of jobs: no other starts, and those that run finish, or are frozen. */
export interface Pause extends Span {
  /** Whether the programs of running jobs are stopped until it ends. */
  readonly isFrozen?: true;
}

/** The SHA-256 of a key, as eight 32-bit words. */
export type KeyDigest = Int32Array;

/** A key and its account. */
export interface KeyHolder {
  /** Short id of the key. */
  readonly keyId: string;
  readonly account: Account;
  readonly kind: KeyKind;
}

/** A key of a worker. It belongs to no account, because a worker runs the jobs of all accounts. */
export interface WorkerKey {
  /** Short id of the key. No key of an account has the same. */
  readonly keyId: string;
}

/** Accounts and their keys, and the keys of workers. Keys are stored hashed and compared in constant time. */
export interface AccountStore {
  /** The holder of a key; null for a key that is unknown or has expired. Needs no disk access. */
  holderOf(key: string): KeyHolder | null;
  /**
   * The digest that keys are compared by. Computing it is most of the cost of `holderOf`, and equal keys have
   * equal digests.
   */
  digestOf(key: string): KeyDigest;
  /** The holder of the key with this digest; null for one that is unknown or has expired. */
  holderOfDigest(digest: KeyDigest): KeyHolder | null;
  /**
   * The worker key with this digest; null for one that is unknown or has expired, and for the key of an account. Needs
   * no disk access.
   */
  workerKeyOf(digest: KeyDigest): WorkerKey | null;
  /** When the key with this digest, of an account or of a worker, has expired; null for any other. */
  expiryOf(digest: KeyDigest): Date | null;
  /**
   * Loads changes by other processes at once, which otherwise takes up to a second. Rejects with
   * `UnavailableError` if they are in a database that cannot be used now.
   */
  refresh(): Promise<void>;
  account(id: string): Account | null;
  /** The account with this name; null if there is none. */
  accountNamed(name: string): Account | null;
  /** The pauses by account, also those whose time is over. */
  pauses(): ReadonlyMap<string, Pause>;
  /**
   * Replaces the pause of an account by what `change` makes of it; undefined for none. Rejects as a write of accounts
   * does. No-op if there is no such account.
   */
  changePause(accountId: string, change: (pause: Pause | undefined) => Pause | undefined): Promise<void>;
  /** For how long the hours do not count, also if that time is over; undefined if they do. */
  openHours(): OpenHoursSpan | undefined;
  /** Replaces what `openHours` returns, as `changePause` does. */
  changeOpenHours(change: (span: OpenHoursSpan | undefined) => OpenHoursSpan | undefined): Promise<void>;
  /** Replaces the presets of an account by what `change` makes of them. Otherwise like `changePause`. */
  changePresets(accountId: string, change: (presets: Presets) => Presets): Promise<void>;
  /** The holder of the key with this id; null if there is none, or if it has expired. */
  holderOfKeyId(keyId: string): KeyHolder | null;
  /** The session or the link with this hash, and its account; null if there is none. Says nothing of its age. */
  sessionOf(hash: string): { readonly accountId: string; readonly session: StoredSession } | null;
  /** Replaces the sessions of an account by what `change` makes of them. Otherwise like `changePause`. */
  changeSessions(
    accountId: string,
    change: (sessions: readonly StoredSession[]) => readonly StoredSession[],
  ): Promise<void>;
  /** Calls a listener after each change of the accounts, until the returned function is called. */
  watch(listener: () => void): () => void;
  /**
   * Records that a key, of an account or of a worker, was used now. Needs no disk access: uses are written
   * from time to time, to a file of their own.
   */
  recordUse(keyId: string): void;
  /**
   * Calls `onRevoked` once, when the key with this id, of an account or of a worker, is revoked or expires; at once
   * if there is no valid one now. Returns a function that ends the watch.
   */
  watchKey(keyId: string, onRevoked: () => void): () => void;
  /**
   * Ensures that there is an account `default` (live) and that `key`, if given, is one of its full-access
   * keys. A key that a rotation has retired is not added again; the log says so. Resolves to the owner's key, which is
   * stored in the data folder, readable to the owner alone.
   */
  ensureOwner(key?: string): Promise<string>;
}
