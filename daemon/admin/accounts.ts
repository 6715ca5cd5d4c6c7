/*
 * The operations of `venc accounts`. They work with and without a running daemon, which applies a change within
 * a second. Each also rejects as the store does.
 */
import { VencError } from '../../src/shared/errors.js';
import { defaultAccountId } from '../jobs/job.js';
import type { Quotas } from '../store/account-store.js';
import {
  type AccountSummary,
  accountByName,
  summaryOf,
  withAccount,
} from '../store/accounts/accounts-document.js';
import { isValidName, type NewKey, namedAccount, nameRule, withNewKey } from '../store/accounts/api-keys.js';
import { newNotificationSecret, newShortId } from '../store/accounts/keys.js';
import type { SetupStore } from '../store/accounts/setup-store.js';

/** Every account, in order of creation. */
export async function listAccounts(setup: SetupStore): Promise<readonly AccountSummary[]> {
  const document = await setup.accounts();
  return document.accounts.map((account) => summaryOf(document, account));
}

/** The account with this name. Rejects with `NotFoundError` if there is none. */
export async function findAccount(setup: SetupStore, name: string): Promise<AccountSummary> {
  const document = await setup.accounts();
  return summaryOf(document, namedAccount(document, name));
}

/**
 * Creates an account in integration mode (section 5) and its first full-access key. Rejects with `UsageError`
 * for an invalid name, `ConflictError` for a name that is in use.
 */
export async function createAccount(setup: SetupStore, name: string): Promise<NewKey> {
  requireValidName(name);
  return setup.update(async ({ accounts: document, replaceAccounts }) => {
    if (accountByName(document, name) !== null) {
      throw new VencError('ConflictError', `There is an account "${name}" already.`, {
        hint: `choose another name; for one more key of that account: venc keys create --account ${name}`,
      });
    }
    const createdAt = new Date().toISOString();
    const account = {
      id: newShortId(document.accounts),
      name,
      isIntegration: true,
      integrationSince: createdAt,
      createdAt,
      notificationSecret: newNotificationSecret(),
    };
    const { updated, created } = withNewKey(withAccount(document, account), account, 'full');
    await replaceAccounts(updated);
    return created;
  });
}

/**
 * Turns the integration mode of an account on or off. Resolves to whether that changed anything; rejects with
 * `NotFoundError` if there is no such account.
 */
export async function setMode(
  setup: SetupStore,
  name: string,
  mode: { readonly isIntegration: boolean },
): Promise<boolean> {
  return setup.update(async ({ accounts: document, replaceAccounts }) => {
    const account = namedAccount(document, name);
    if (account.isIntegration === mode.isIntegration) return false;
    const since = mode.isIntegration ? { integrationSince: new Date().toISOString() } : {};
    await replaceAccounts(withAccount(document, { ...account, ...mode, ...since }));
    return true;
  });
}

/** The changes of limits: null removes one, and an absent one stays. */
type QuotaChanges = { readonly [Name in keyof Quotas]: Quotas[Name] | null };

/**
 * Changes the limits of an account. Resolves to those that it has then. Rejects with `NotFoundError` if there is no such
 * account, with `UsageError` for the owner's, which has none.
 */
export async function setQuotas(setup: SetupStore, name: string, changes: QuotaChanges): Promise<Quotas> {
  return setup.update(async ({ accounts: document, replaceAccounts }) => {
    const { quotas: before, ...account } = namedAccount(document, name);
    if (account.id === defaultAccountId)
      throw new VencError('UsageError', `The account ${name} is the owner's, which has no limits.`, {
        hint: 'create an account for others: venc accounts create NAME',
      });
    const changed = Object.entries({ ...before, ...changes }).filter(([, limit]) => limit !== null);
    const quotas: Quotas = Object.fromEntries(changed);
    await replaceAccounts(withAccount(document, changed.length === 0 ? account : { ...account, quotas }));
    return quotas;
  });
}

function requireValidName(name: string): void {
  if (isValidName(name)) return;
  throw new VencError('UsageError', `The name of an account ${nameRule}.`, {
    hint: 'for example: venc accounts create studio-1',
  });
}
