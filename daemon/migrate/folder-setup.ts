import { VencError } from '../../src/shared/errors.js';
import type { AtomicFiles } from '../../src/shared/util/atomic-files.js';
import { realDisk } from '../../src/shared/util/disk.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { type AccountsDocument, allKeys, hasAllSecrets } from '../store/accounts/accounts-document.js';
import { accountsDocument, readOwnerKey } from '../store/accounts/folder-setup.js';
import { keyUsesDocument } from '../store/accounts/key-use-recorder.js';
import {
  credentialsDocument,
  decrypt,
  encrypt,
  openCredentialsKey,
  readCredentialsKey,
} from '../store/credentials/credentials-file.js';
import { drainedWorkersFile, readDrainedWorkers } from '../store/data-folder/drained-workers.js';
import type { DataLayout } from '../store/data-folder/layout.js';
import type { DamagedRecord, PlainCredential, SetupRecords } from '../store/stored-records.js';

/**
 * Reads accounts, keys, credentials and the names of drained workers of a data folder. Rejects with `UsageError` if a
 * file is damaged as a whole, or if accounts lack their notification secrets, which older versions did not create.
 */
export async function readFolderSetup(
  layout: DataLayout,
  onDamaged: (record: DamagedRecord) => void,
): Promise<SetupRecords> {
  const document = await readAccounts(layout);
  const ids = new Set(allKeys(document).map(({ id }) => id));
  const uses = Object.entries(await keyUsesDocument(layout.keyUses).load()).flatMap(([id, time]) => {
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

/**
 * Replaces accounts, keys, credentials and the names of drained workers of a data folder. A file without content is
 * removed.
 */
export async function writeFolderSetup(
  files: AtomicFiles,
  layout: DataLayout,
  { document, keyUses, ownerKey, credentials, drainedWorkers }: SetupRecords,
): Promise<void> {
  const drained = drainedWorkersFile(layout, files);
  const uses = keyUsesDocument(layout.keyUses, files).adapter;
  const accounts = accountsDocument(layout, files).adapter;
  await put(layout.accounts, !isEmpty(document), () => accounts.write(document));
  await put(layout.keyUses, Object.keys(keyUses).length > 0, () => uses.write(keyUses));
  await put(layout.ownerKey, ownerKey !== null, () => files.write(layout.ownerKey, `${ownerKey}\n`));
  await put(layout.drainedWorkers, drainedWorkers.length > 0, () => drained.write(drainedWorkers));
  await put(layout.credentials, credentials.length > 0, () => writeCredentials(files, layout, credentials));
}

async function writeCredentials(
  files: AtomicFiles,
  layout: DataLayout,
  credentials: readonly PlainCredential[],
): Promise<void> {
  const key = await openCredentialsKey(layout, files);
  await credentialsDocument(layout, { damagedError: damagedCredentials(layout), files }).adapter.write({
    credentials: credentials.map(({ user, secret, ...entry }) => ({
      ...entry,
      encrypted: encrypt({ user, secret }, key, entry),
    })),
  });
}

function isEmpty({ accounts, keys, workers = [], retired = [] }: AccountsDocument): boolean {
  return accounts.length + keys.length + workers.length + retired.length === 0;
}

async function put(path: string, hasContent: boolean, write: () => Promise<void>): Promise<void> {
  if (hasContent) return write();
  await realDisk.remove(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
}

async function readAccounts(layout: DataLayout): Promise<AccountsDocument> {
  const found = await accountsDocument(layout).load();
  if (hasAllSecrets(found)) return found;
  throw new VencError('UsageError', `Accounts in ${layout.accounts} have no secret for notifications yet.`, {
    hint: `to create them: venc accounts list --data ${layout.folder}`,
  });
}

function damagedCredentials(layout: DataLayout) {
  return (reason: string) =>
    new VencError('UsageError', `The file ${layout.credentials} is damaged: ${reason}.`, {
      hint: 'Restore it from a backup, or move it away and add the credentials to the database again.',
    });
}

async function readPlainCredentials(
  layout: DataLayout,
  onDamaged: (record: DamagedRecord) => void,
): Promise<readonly PlainCredential[]> {
  const document = credentialsDocument(layout, { damagedError: damagedCredentials(layout) });
  const { credentials } = await document.load();
  if (credentials.length === 0) return [];
  const key = await readCredentialsKey(layout).catch(() => null);
  return credentials.flatMap((one) => {
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
