import { VencError } from '../../src/shared/errors.js';
import type { AtomicFiles } from '../../src/shared/util/atomic-files.js';
import { realDisk } from '../../src/shared/util/disk.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import {
  type AccountsDocument,
  allKeys,
  hasAllSecrets,
  noAccounts,
  readAccountsDocument,
} from '../store/accounts/accounts-document.js';
import { damagedAccounts } from '../store/accounts/accounts-file.js';
import { readKeyUses } from '../store/accounts/key-use-recorder.js';
import { readOwnerKey } from '../store/accounts/owner.js';
import {
  decrypt,
  encrypt,
  newCredentialsKey,
  readCredentials,
  readCredentialsKey,
} from '../store/credentials/credentials-file.js';
import { readDocument } from '../store/data-folder/document.js';
import { drainedWorkersText, readDrainedWorkers } from '../store/data-folder/drained-workers.js';
import type { DataLayout } from '../store/data-folder/layout.js';
import type { DamagedRecord, PlainCredential, SetupRecords } from '../store/stored-records.js';

/**
 * Reads accounts, keys, credentials and the names of drained workers of a data folder. Rejects with `UsageError` if a file is damaged as a whole, or if accounts lack
 * their notification secrets, which older versions did not create.
 */
export async function readFolderSetup(
  layout: DataLayout,
  onDamaged: (record: DamagedRecord) => void,
): Promise<SetupRecords> {
  const document = await readAccounts(layout);
  const ids = new Set(allKeys(document).map(({ id }) => id));
  const uses = Object.entries(await readKeyUses(layout.keyUses)).flatMap(([id, time]) => {
    const usedAt = new Date(time);
    return ids.has(id) && !Number.isNaN(usedAt.getTime()) ? [[id, usedAt.toISOString()] as const] : [];
  });
  return {
    document,
    keyUses: Object.fromEntries(uses),
    ownerKey: await readOwnerKey(layout),
    credentials: await readPlainCredentials(layout, onDamaged),
    drainedWorkers: await readDrainedNames(layout, onDamaged),
  };
}

/** Replaces accounts, keys, credentials and the names of drained workers of a data folder. A file without content is removed. */
export async function writeFolderSetup(
  files: AtomicFiles,
  layout: DataLayout,
  { document, keyUses, ownerKey, credentials, drainedWorkers }: SetupRecords,
): Promise<void> {
  await write(files, layout.accounts, isEmpty(document) ? null : JSON.stringify(document));
  await write(files, layout.keyUses, Object.keys(keyUses).length === 0 ? null : JSON.stringify(keyUses));
  await write(files, layout.ownerKey, ownerKey === null ? null : `${ownerKey}\n`);
  const drainedText = drainedWorkers.length === 0 ? null : drainedWorkersText(drainedWorkers);
  await write(files, layout.drainedWorkers, drainedText);
  if (credentials.length === 0) return write(files, layout.credentials, null);
  if ((await readCredentialsKey(layout)) === null)
    await files.write(layout.credentialsKey, newCredentialsKey());
  const key = await readCredentialsKey(layout);
  if (key === null) throw new TypeError('the key of the credentials was written, but is not there');
  const stored = credentials.map(({ user, secret, ...entry }) => ({
    ...entry,
    encrypted: encrypt({ user, secret }, key, entry),
  }));
  await files.write(layout.credentials, JSON.stringify({ credentials: stored }));
}

function isEmpty({ accounts, keys, workers = [] }: AccountsDocument): boolean {
  return accounts.length + keys.length + workers.length === 0;
}

async function write(files: AtomicFiles, path: string, text: string | null): Promise<void> {
  if (text !== null) return files.write(path, text);
  await realDisk.remove(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
}

async function readAccounts(layout: DataLayout): Promise<AccountsDocument> {
  const found = await readDocument(layout.accounts, readAccountsDocument);
  if (found.kind === 'damaged') throw await damagedAccounts(layout, found.reason);
  if (found.kind === 'missing') return noAccounts;
  if (hasAllSecrets(found.data)) return found.data;
  throw new VencError('UsageError', `Accounts in ${layout.accounts} have no secret for notifications yet.`, {
    hint: `to create them: venc accounts list --data ${layout.folder}`,
  });
}

async function readPlainCredentials(
  layout: DataLayout,
  onDamaged: (record: DamagedRecord) => void,
): Promise<readonly PlainCredential[]> {
  const found = await readCredentials(layout);
  if (found.kind === 'missing') return [];
  if (found.kind === 'damaged')
    throw new VencError('UsageError', `The file ${layout.credentials} is damaged: ${found.reason}.`, {
      hint: 'Restore it from a backup, or move it away and add the credentials to the database again.',
    });
  if (found.data.length === 0) return [];
  const key = await readCredentialsKey(layout).catch(() => null);
  return found.data.flatMap((one) => {
    const { encrypted, ...entry } = one;
    try {
      if (key === null) throw new TypeError('there is no key');
      return [{ ...entry, ...decrypt(one, key) }];
    } catch {
      onDamaged({
        place: `${layout.credentials}, "${one.name}"`,
        reason: `the key in ${layout.credentialsKey} does not decrypt it`,
      });
      return [];
    }
  });
}

async function readDrainedNames(
  layout: DataLayout,
  onDamaged: (record: DamagedRecord) => void,
): Promise<readonly string[]> {
  const found = await readDrainedWorkers(layout);
  if (found.kind === 'damaged') onDamaged({ place: layout.drainedWorkers, reason: found.reason });
  return found.kind === 'whole' ? [...new Set(found.data)] : [];
}
