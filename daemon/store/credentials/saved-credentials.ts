import { existsSync } from 'node:fs';
import { VencError } from '../../../src/shared/errors.js';
import {
  type CredentialRequest,
  missingCredentials,
  type SavedCredentials,
} from '../../jobs/saved-credentials.js';
import { dataLayout } from '../data-folder/layout.js';
import {
  credentialsDocument,
  decrypt,
  readCredentialsKey,
  type StoredCredential,
} from './credentials-file.js';

/**
 * Opens the saved credentials of a data folder. The file is read at each use, so that changes by `venc credentials`
 * apply at once and no secret stays in memory.
 */
export function openSavedCredentials(dataFolder: string): SavedCredentials {
  const layout = dataLayout(dataFolder);
  const damagedError = (reason: string) => notUsable(`${layout.credentials} is damaged: ${reason}`);
  return savedCredentialsOf({
    async list() {
      // Most data folders have none. Asking so takes microseconds, and every create asks; opening the file took a third
      // of a millisecond.
      if (!existsSync(layout.credentials)) return [];
      return (await credentialsDocument(layout, { damagedError }).load()).credentials;
    },
    async readKey() {
      const key = await readCredentialsKey(layout);
      if (key === null) throw notUsable(`${layout.credentialsKey} is missing`);
      return key;
    },
  });
}

/** Where saved credentials are stored. */
interface CredentialSource {
  /** Those of an account. Others may be among them. */
  readonly list: (accountId: string) => Promise<readonly StoredCredential[]>;
  /** The key that they are encrypted with. */
  readonly readKey: () => Promise<Buffer>;
}

/** Saved credentials that are read at each use. */
export function savedCredentialsOf({ list, readKey }: CredentialSource): SavedCredentials {
  return {
    async check(request) {
      const { name, scheme, accountId } = request;
      if (name === null) return null;
      const named = (await list(accountId)).find(isNamed(request));
      if (named === undefined) return missingCredentials;
      if (isFor(named, scheme)) return null;
      return { isMissing: false, message: `are for ${named.scheme} and cannot be used with ${scheme}` };
    },
    async find(request) {
      const { name, scheme, accountId } = request;
      const all = await list(accountId);
      const named = all.find(isNamed(request));
      if (name !== null && named === undefined)
        throw notUsable(`The credentials "${name}" have been removed`);
      const found =
        named !== undefined && isFor(named, scheme)
          ? named
          : all.find((one) => one.accountId === accountId && one.isDefault && one.scheme === scheme);
      return found === undefined ? null : decrypt(found, await readKey());
    },
  };
}

function isNamed({ accountId, name }: CredentialRequest) {
  return (one: StoredCredential): boolean => one.accountId === accountId && one.name === name;
}

function isFor({ scheme }: StoredCredential, wanted: string): boolean {
  return scheme === null || scheme === wanted;
}

function notUsable(reason: string): VencError {
  return new VencError('InvalidUsernameOrPasswordError', `${reason}.`);
}
