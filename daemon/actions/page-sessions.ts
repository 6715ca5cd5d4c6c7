import { hash } from 'node:crypto';
import { VencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';
import type { AccountStore, KeyHolder, StoredSession } from '../store/account-store.js';

const secondMs = 1000;
const dayMs = 86_400 * secondMs;
/** How long a session lives without a use, and at most; how long a link signs in. In milliseconds. */
export const sessionLimits = { idleMs: 7 * dayMs, maxMs: 30 * dayMs, linkMs: 60 * secondMs } as const;
/** How exact the time of the last use is, in milliseconds. */
const useStepMs = 3600 * secondMs;
/** The sessions and links of a key that are kept; the oldest end first. */
const maxSessions = 100;

/** The dependencies of `PageSessions`. */
interface SessionsContext {
  readonly accounts: AccountStore;
  readonly now: () => Date;
  /** Returns an unguessable token of letters and digits. */
  readonly randomToken: () => string;
  readonly log: Log;
}

/** The holder of a session and what names it. */
export interface FoundSession {
  readonly holder: KeyHolder;
  /** Its hash. */
  readonly id: string;
  /** Aborted when it is signed out, or when its key is revoked. */
  readonly ended: AbortSignal;
}

/**
 * The sessions of the page. They are stored with the accounts, as hashes: they survive restarts, and count at every
 * daemon of one database. A session ends with its key.
 */
export class PageSessions {
  readonly #context: SessionsContext;
  /** What ends the streams of a session, by its hash. */
  readonly #inUse = new Map<string, AbortController>();

  constructor(context: SessionsContext) {
    this.#context = context;
    context.accounts.watch(() => this.#endMissing());
  }

  /** Signs a key in. Resolves to the token of the session, for a cookie. Rejects as a write of accounts does. */
  async signIn(holder: KeyHolder): Promise<string> {
    const token = this.#context.randomToken();
    await this.#add(holder, { hash: hashOf(token) });
    this.#context.log('info', `The key ${holder.keyId} signed in at the page.`);
    return token;
  }

  /** Makes a link that signs a key in once. Resolves to its code. */
  async createLink(holder: KeyHolder): Promise<string> {
    const code = this.#context.randomToken();
    await this.#add(holder, { hash: hashOf(code), isLink: true });
    return code;
  }

  /** Signs in with the code of a link, which is spent. Resolves to null if it is unknown, spent or too old. */
  async redeem(code: string): Promise<string | null> {
    const found = await this.#find(code, true);
    if (found === null) return null;
    let isSpent = true;
    await this.#context.accounts.changeSessions(found.accountId, (sessions) => {
      isSpent = !sessions.some((one) => one.hash === found.session.hash);
      return isSpent ? sessions : sessions.filter((one) => one.hash !== found.session.hash);
    });
    return isSpent ? null : this.signIn(found.holder);
  }

  /** The session with this token; null if there is none. Counts as a use. */
  async find(token: string): Promise<FoundSession | null> {
    const found = await this.#find(token, false);
    if (found === null) return null;
    const { session, accountId, holder } = found;
    const now = this.#context.now();
    if (now.getTime() - Date.parse(session.usedAt) > useStepMs) {
      const used = { ...session, usedAt: now.toISOString() };
      await this.#change(accountId, (sessions) =>
        sessions.map((one) => (one.hash === session.hash ? used : one)),
      );
    }
    const controller = this.#inUse.get(session.hash) ?? new AbortController();
    this.#inUse.set(session.hash, controller);
    return { holder, id: session.hash, ended: controller.signal };
  }

  /** Ends a session and its streams. */
  async end({ holder, id }: FoundSession): Promise<void> {
    await this.#change(holder.account.id, (sessions) => sessions.filter((one) => one.hash !== id));
    this.#endMissing();
  }

  async #find(token: string, isLink: boolean) {
    const { accounts } = this.#context;
    const tokenHash = hashOf(token);
    // Another daemon of the database may just have made it.
    if (accounts.sessionOf(tokenHash) === null) await accounts.refresh();
    const found = accounts.sessionOf(tokenHash);
    if (found === null || (found.session.isLink === true) !== isLink || !this.#isValid(found.session))
      return null;
    const holder = accounts.holderOfKeyId(found.session.keyId);
    return holder === null ? null : { ...found, holder };
  }

  async #add(holder: KeyHolder, session: Pick<StoredSession, 'hash' | 'isLink'>): Promise<void> {
    const now = this.#context.now().toISOString();
    const added = { ...session, keyId: holder.keyId, createdAt: now, usedAt: now };
    await this.#change(holder.account.id, (sessions) => {
      const ofKey = sessions.filter(({ keyId }) => keyId === holder.keyId);
      const kept = new Set(ofKey.slice(1 - maxSessions));
      return [...sessions.filter((one) => one.keyId !== holder.keyId || kept.has(one)), added];
    });
  }

  /** Changes the sessions of an account, and drops those that are over. */
  #change(
    accountId: string,
    change: (sessions: readonly StoredSession[]) => readonly StoredSession[],
  ): Promise<void> {
    return this.#context.accounts.changeSessions(accountId, (sessions) =>
      change(sessions).filter((one) => this.#isValid(one)),
    );
  }

  /** Whether a session is not over and its key is valid. */
  #isValid({ keyId, createdAt, usedAt, isLink }: StoredSession): boolean {
    const nowMs = this.#context.now().getTime();
    // A clock that was set back gives no session more time.
    const age = (time: string) => Math.abs(nowMs - Date.parse(time));
    if (this.#context.accounts.holderOfKeyId(keyId) === null) return false;
    if (isLink === true) return age(createdAt) < sessionLimits.linkMs;
    return age(usedAt) < sessionLimits.idleMs && age(createdAt) < sessionLimits.maxMs;
  }

  /** Ends the streams of sessions that are no longer there. */
  #endMissing(): void {
    for (const [id, controller] of this.#inUse) {
      const found = this.#context.accounts.sessionOf(id);
      if (found !== null && this.#context.accounts.holderOfKeyId(found.session.keyId) !== null) continue;
      this.#inUse.delete(id);
      controller.abort(new VencError('UnauthorizedError', 'The session has ended.'));
    }
  }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * Makes a link that signs a key in at the page once, within a minute. Rejects with `NotFoundError` if the daemon has no
 * page.
 */
export async function createPageLink(
  {
    accounts,
    pageSessions,
    now,
  }: Pick<SessionsContext, 'accounts' | 'now'> & { readonly pageSessions: PageSessions | null },
  keyId: string | null,
  baseUrl: string,
): Promise<{ readonly url: string; readonly expires_at: string }> {
  const holder = keyId === null ? null : accounts.holderOfKeyId(keyId);
  if (pageSessions === null || holder === null)
    throw new VencError('NotFoundError', 'This daemon serves no page (--no-ui).');
  const code = await pageSessions.createLink(holder);
  const expiresAt = new Date(now().getTime() + sessionLimits.linkMs);
  return { url: `${baseUrl}/ui/open?code=${code}`, expires_at: expiresAt.toISOString() };
}
