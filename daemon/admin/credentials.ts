/*
 * The operations of `venc credentials`. They work with and without a running daemon, which applies a change at once.
 * Each also rejects as the store does.
 */
import { VencError } from '../../src/shared/errors.js';
import { findSuggestions } from '../../src/shared/text/suggestions.js';
import type { Credential } from '../jobs/saved-credentials.js';
import { accountById } from '../store/accounts/accounts-document.js';
import { namedAccount } from '../store/accounts/api-keys.js';
import type { SetupStore } from '../store/accounts/setup-store.js';
import { encrypt, type StoredCredential } from '../store/credentials/credentials-file.js';

/** Schemes that credentials can be for. */
const credentialSchemes = ['s3', 'gcs', 'cf', 'ftp', 'ftps', 'sftp', 'http', 'https', 'fasp'] as const;

/** Saved credentials as they are shown: without user and secret. */
interface CredentialSummary {
  readonly name: string;
  /** Null for all schemes. */
  readonly scheme: string | null;
  /** Name of the account. */
  readonly account: string;
  readonly isDefault: boolean;
  readonly createdAt: string;
}

/** Credentials to save. */
interface NewCredential extends Credential {
  readonly name: string;
  readonly scheme: string | null;
  /** Name of the account. */
  readonly account: string;
  readonly isDefault: boolean;
}

/**
 * Saves credentials, encrypted with the key of the store. Rejects with `UsageError` for invalid values,
 * `NotFoundError` if there is no such account, `ConflictError` if the name is in use.
 */
export async function addCredential(setup: SetupStore, added: NewCredential): Promise<void> {
  requireValid(added);
  await setup.update(async (locked) => {
    const { id: accountId } = namedAccount(locked.accounts, added.account);
    const all = await locked.credentials();
    if (all.some((one) => one.accountId === accountId && one.name === added.name)) {
      throw new VencError('ConflictError', `There are credentials "${added.name}" already.`, {
        hint: `to replace them: venc credentials remove ${added.name}, then add them again`,
      });
    }
    const key = await locked.credentialsKey();
    const { name, scheme, isDefault, user, secret } = added;
    const entry: StoredCredential = {
      accountId,
      name,
      scheme,
      isDefault,
      createdAt: new Date().toISOString(),
      encrypted: encrypt({ user, secret }, key, { accountId, name }),
    };
    const others = all.map((one) =>
      isDefault && one.accountId === accountId && one.scheme === scheme ? { ...one, isDefault: false } : one,
    );
    await locked.replaceCredentials([...others, entry]);
  });
}

/** All saved credentials, or those of one account, in the order of their creation. */
export async function listCredentials(
  setup: SetupStore,
  accountName?: string,
): Promise<readonly CredentialSummary[]> {
  const document = await setup.accounts();
  const account = accountName === undefined ? null : namedAccount(document, accountName);
  const all = await setup.credentials();
  return all
    .filter(({ accountId }) => account === null || accountId === account.id)
    .map(({ name, scheme, accountId, isDefault, createdAt }) => ({
      name,
      scheme,
      account: accountById(document, accountId)?.name ?? accountId,
      isDefault,
      createdAt,
    }));
}

/** Removes credentials of an account. Rejects with `NotFoundError` if there are none of this name. */
export async function removeCredential(setup: SetupStore, name: string, accountName: string): Promise<void> {
  await setup.update(async (locked) => {
    const { id: accountId } = namedAccount(locked.accounts, accountName);
    const all = await locked.credentials();
    const rest = all.filter((one) => one.accountId !== accountId || one.name !== name);
    if (rest.length === all.length) {
      const names = all.flatMap((one) => (one.accountId === accountId ? [one.name] : []));
      const suggestions = findSuggestions(name, names);
      throw new VencError('NotFoundError', `Account ${accountName} has no credentials "${name}".`, {
        hint:
          suggestions.length > 0
            ? `did you mean ${suggestions.join(', ')}?`
            : 'venc credentials list shows them all',
      });
    }
    await locked.replaceCredentials(rest);
  });
}

function requireValid({ name, scheme, isDefault, user, secret }: NewCredential): void {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    throw new VencError('UsageError', 'The name must have 1 to 64 letters, digits and _ . -');
  if (scheme !== null && !credentialSchemes.some((known) => known === scheme))
    throw new VencError('UsageError', `--scheme must be one of ${credentialSchemes.join(', ')}.`);
  if (isDefault && scheme === null)
    throw new VencError(
      'UsageError',
      '--default needs --scheme, because there is one default for each scheme.',
    );
  if (user === '' || secret === '') {
    throw new VencError('UsageError', 'The credentials need a user and a secret.', {
      hint: 'give them on stdin, one per line, or type them when asked',
    });
  }
}
