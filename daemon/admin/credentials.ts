/*
 * The operations of `venc credentials` on a data folder. They work with and without a running daemon, which applies a change at once. Each
 * also rejects as `readOrCreateAccounts` does.
 */
import { VencError } from '../../src/shared/errors.js';
import { findSuggestions } from '../../src/shared/text/suggestions.js';
import type { Credential } from '../jobs/saved-credentials.js';
import { accountById } from '../store/accounts/accounts-document.js';
import type { LockedAccounts } from '../store/accounts/accounts-file.js';
import {
  encrypt,
  newCredentialsKey,
  readCredentials,
  readCredentialsKey,
  type StoredCredential,
} from '../store/credentials/credentials-file.js';
import { type DataLayout, dataLayout } from '../store/data-folder/layout.js';
import { namedAccount, readOrCreateAccounts, updateAccounts } from './update-accounts.js';

/** Schemes that credentials can be for. */
export const credentialSchemes = ['s3', 'gcs', 'cf', 'ftp', 'ftps', 'sftp', 'http', 'https', 'fasp'] as const;

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
 * Saves credentials, encrypted with the key of the data folder, which the first one creates. Rejects with `UsageError` for invalid values,
 * `NotFoundError` if there is no such account, `ConflictError` if the name is in use.
 */
export async function addCredential(dataFolder: string, added: NewCredential): Promise<void> {
  requireValid(added);
  const layout = dataLayout(dataFolder);
  await updateAccounts(dataFolder, async (locked) => {
    const { id: accountId } = namedAccount(locked.document, added.account);
    const all = await listStored(layout);
    if (all.some((one) => one.accountId === accountId && one.name === added.name)) {
      throw new VencError('ConflictError', `There are credentials "${added.name}" already.`, {
        hint: `to replace them: venc credentials remove ${added.name}, then add them again`,
      });
    }
    const key = (await readCredentialsKey(layout)) ?? (await createKey(layout, locked));
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
    await replaceAll(layout, locked, [...others, entry]);
  });
}

/** All saved credentials, or those of one account, in the order of their creation. */
export async function listCredentials(
  dataFolder: string,
  accountName?: string,
): Promise<readonly CredentialSummary[]> {
  const document = await readOrCreateAccounts(dataFolder);
  const account = accountName === undefined ? null : namedAccount(document, accountName);
  const all = await listStored(dataLayout(dataFolder));
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
export async function removeCredential(dataFolder: string, name: string, accountName: string): Promise<void> {
  const layout = dataLayout(dataFolder);
  await updateAccounts(dataFolder, async (locked) => {
    const { id: accountId } = namedAccount(locked.document, accountName);
    const all = await listStored(layout);
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
    await replaceAll(layout, locked, rest);
  });
}

async function createKey(layout: DataLayout, { write }: LockedAccounts): Promise<Buffer> {
  await write(layout.credentialsKey, newCredentialsKey());
  const key = await readCredentialsKey(layout);
  if (key === null) throw new TypeError('the key of the credentials was written, but is not there');
  return key;
}

function replaceAll(
  layout: DataLayout,
  { write }: LockedAccounts,
  credentials: readonly StoredCredential[],
): Promise<void> {
  return write(layout.credentials, JSON.stringify({ credentials }));
}

async function listStored(layout: DataLayout): Promise<readonly StoredCredential[]> {
  const found = await readCredentials(layout);
  if (found.kind === 'damaged') {
    throw new VencError('UsageError', `The file ${layout.credentials} is damaged: ${found.reason}.`, {
      hint: 'Restore it from a backup, or remove it and add the credentials again.',
    });
  }
  return found.kind === 'whole' ? found.data : [];
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
