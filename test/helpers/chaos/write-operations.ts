import { readFileSync } from 'node:fs';
import { createAccount } from '../../../daemon/admin/accounts.js';
import { addCredential, listCredentials, removeCredential } from '../../../daemon/admin/credentials.js';
import { openFolderSetup } from '../../../daemon/admin/open-setup.js';
import { ensureOwner } from '../../../daemon/store/accounts/accounts.js';
import { createKey, listKeys, revokeKey } from '../../../daemon/store/accounts/api-keys.js';
import { folderSetup } from '../../../daemon/store/accounts/folder-setup.js';
import {
  addKeyUses,
  KeyUseRecorder,
  keyUsesDocument,
} from '../../../daemon/store/accounts/key-use-recorder.js';
import { writeDaemonAddress } from '../../../daemon/store/data-folder/daemon-address.js';
import { dataLayout } from '../../../daemon/store/data-folder/layout.js';
import { lockDataFolder } from '../../../daemon/store/data-folder/lock.js';
import { openCleanupJournal } from '../../../daemon/transfer/cleanup-journal.js';

/** An operation of a store in a folder, prepared so that it can be tried. */
export interface PreparedOperation {
  /** Does it. Resolving is the acknowledgement. Called again after a failure, on the same open store. */
  act(): Promise<unknown>;
  /**
   * Opens what is stored in a folder, which may be a copy, like the next start. Resolves to `before` or `after`, or to anything else if the
   * state is neither.
   */
  stateIn(folder: string): Promise<string>;
  /** Releases what the operation holds. */
  close?(): Promise<unknown>;
}

/** An operation whose every write step is made to fail. */
export interface WriteOperation {
  /** Whether an acknowledged change need not survive a power cut. */
  readonly isVolatile?: boolean;
  /** Whether the operation acknowledges its change even if a write fails, and writes it later. */
  readonly isBestEffort?: boolean;
  prepare(folder: string): Promise<PreparedOperation>;
}

const credential = {
  name: 'bucket',
  scheme: 's3',
  account: 'default',
  isDefault: false,
  user: 'me',
  secret: 'hunter2-secret',
} as const;

const hasName =
  (name: string) =>
  (items: readonly { readonly name: string }[]): boolean =>
    items.some((item) => item.name === name);

const afterIf = (isAfter: boolean) => (isAfter ? 'after' : 'before');

/** The operations of the stores of accounts, keys, credentials, addresses, locks and the cleanup journal. */
export const accountOperations: Readonly<Record<string, WriteOperation>> = {
  'the first start: accounts and the owner key': {
    async prepare(folder) {
      return {
        act: () => ensureOwner(folderSetup(folder)),
        // Every start ensures that there is an owner.
        stateIn: async (copy) => {
          const { accounts, keys } = (await ensureOwner(folderSetup(copy))).document;
          const ownerKey = readFileSync(dataLayout(copy).ownerKey, 'utf8').trim();
          return accounts.length === 1 && keys.length >= 1 && ownerKey.length > 8 ? 'after' : 'damaged';
        },
      };
    },
  },
  'a new account': {
    async prepare(folder) {
      await openFolderSetup(folder).accounts();
      let count = 0;
      return {
        act: async () => {
          count += 1;
          await createAccount(openFolderSetup(folder), `films-${count}`);
        },
        stateIn: async (copy) => {
          const { accounts, keys } = await openFolderSetup(copy).accounts();
          if (accounts.length !== keys.length) return `${accounts.length} accounts, ${keys.length} keys`;
          return afterIf(hasName(`films-${count}`)(accounts));
        },
      };
    },
  },
  'a new key and its revocation': {
    async prepare(folder) {
      await openFolderSetup(folder).accounts();
      const { id } = await createKey(openFolderSetup(folder), 'default', 'read-only');
      return {
        // A revocation whose fsync failed may be done: then there is no such key.
        act: () => revokeKey(openFolderSetup(folder), id).catch(rethrowUnless('NotFoundError')),
        stateIn: async (copy) =>
          afterIf(!(await listKeys(openFolderSetup(copy))).some((key) => key.id === id)),
      };
    },
  },
  'new credentials': {
    async prepare(folder) {
      await openFolderSetup(folder).accounts();
      return {
        act: () => addCredential(openFolderSetup(folder), credential).catch(rethrowUnless('ConflictError')),
        stateIn: async (copy) => afterIf(hasName('bucket')(await listCredentials(openFolderSetup(copy)))),
      };
    },
  },
  'a removal of credentials': {
    async prepare(folder) {
      await addCredential(openFolderSetup(folder), credential);
      return {
        act: () =>
          removeCredential(openFolderSetup(folder), 'bucket', 'default').catch(
            rethrowUnless('NotFoundError'),
          ),
        stateIn: async (copy) => afterIf(!hasName('bucket')(await listCredentials(openFolderSetup(copy)))),
      };
    },
  },
  'the last use of a key': {
    isBestEffort: true,
    async prepare(folder) {
      const path = dataLayout(folder).keyUses;
      const act = async () => {
        const recorder = new KeyUseRecorder({
          write: (uses) => addKeyUses(path, uses, () => true),
          onError: () => {},
        });
        recorder.record('k1');
        await recorder.close();
      };
      return {
        act,
        stateIn: async (copy) => afterIf('k1' in (await keyUsesDocument(dataLayout(copy).keyUses).load())),
      };
    },
  },
  'the address of the daemon': {
    async prepare(folder) {
      const url = 'http://127.0.0.1:1';
      return {
        act: () => writeDaemonAddress(folder, { url, pid: 1 }),
        stateIn: async (copy) => {
          const text = textOr(dataLayout(copy).address, '');
          return text === '' ? 'before' : afterIf((JSON.parse(text) as { url: string }).url === url);
        },
      };
    },
  },
  'the lock of the data folder': {
    isVolatile: true,
    async prepare(folder) {
      const path = dataLayout(folder).lock;
      return {
        // Released at once: a lock that could not be taken must not block the next attempt.
        act: async () => (await lockDataFolder(folder)).release(),
        stateIn: async (copy) => {
          await (await lockDataFolder(copy)).release();
          return afterIf(textOr(path, '') === '');
        },
      };
    },
  },
  'an entry of the cleanup journal': {
    async prepare(folder) {
      const journal = openCleanupJournal(`${folder}/leftovers`);
      return {
        act: () => journal.add({ url: 's3://films/a.mp4', name: 'an-upload' }),
        stateIn: async (copy) => {
          const entries = await openCleanupJournal(`${copy}/leftovers`).entries();
          const isWhole = entries.every(({ orphan }) => orphan.name === 'an-upload');
          return isWhole ? afterIf(entries.length > 0) : 'damaged';
        },
      };
    },
  },
};

/** Lets an operation that is done already count as done. */
export function rethrowUnless(errorClass: string): (error: unknown) => void {
  return (error) => {
    if ((error as { errorClass?: string }).errorClass !== errorClass) throw error;
  };
}

function textOr(path: string, fallback: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return fallback;
  }
}
