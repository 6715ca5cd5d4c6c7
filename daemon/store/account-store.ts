/** Kinds of API keys (service document, section 5): a read-only key may read input and output details and progress. */
export type KeyKind = 'full' | 'read-only';

/** An account: what jobs, uploads and keys belong to. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Integration mode: every job is a test job. */
  readonly isIntegration: boolean;
  readonly createdAt: string;
  /** What notifications are signed with: a secret of Standard Webhooks, `whsec_` and base64. */
  readonly notificationSecret: string;
}

/** The SHA-256 of a key, as eight words. */
export type KeyDigest = Int32Array;

/** Who a key speaks for. */
export interface KeyHolder {
  /** Short id of the key. */
  readonly keyId: string;
  readonly account: Account;
  readonly kind: KeyKind;
}

/** Accounts and their keys. Keys are stored hashed and compared in constant time. */
export interface AccountStore {
  /** Whom a key speaks for; null for an unknown key. Costs no disk access. */
  holderOf(key: string): KeyHolder | null;
  /** What a key is compared by. Making it is most of the cost of `holderOf`, and the same key always has the same one. */
  digestOf(key: string): KeyDigest;
  /** Whom the key with this digest speaks for; null for an unknown one. */
  holderOfDigest(digest: KeyDigest): KeyHolder | null;
  /** Takes in at once what others have changed, which otherwise takes up to half a second. Never rejects. */
  refresh(): Promise<void>;
  account(id: string): Account | null;
  /** Notes that a key was used just now. Costs no disk access: it is written now and then, beside the accounts. */
  recordUse(keyId: string): void;
  /**
   * Calls `revoked` once, as soon as there is no key with this id any more; at once where there is none now. Gives what
   * ends the watching.
   */
  watchKey(keyId: string, onRevoked: () => void): () => void;
  /**
   * Sees to it that there is an account `default` (live) and that `key`, if one is given, is one of its full-access keys.
   * Resolves to the owner's key, which lies readable to the owner alone in the data folder.
   */
  ensureOwner(key?: string): Promise<string>;
}
