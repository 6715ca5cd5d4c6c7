import { VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { readTextFile, realDisk } from '../../../src/shared/util/disk.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { defaultAccountId } from '../../jobs/job.js';
import { diskOfOwner } from '../data-folder/data-folder.js';
import { toWriteError } from '../data-folder/disk-errors.js';
import type { DataLayout } from '../data-folder/layout.js';
import { type AccountsDocument, accountById, allKeys, withAccount, withKey } from './accounts-document.js';
import { withAccountsLock } from './accounts-file.js';
import {
  createKeyLookup,
  createWorkerKeyLookup,
  digestOf,
  hashKey,
  isValidKey,
  newKey,
  newNotificationSecret,
  newShortId,
  requireValidKey,
} from './keys.js';

/** The owner's key, and the document that contains it. */
interface Owner {
  readonly key: string;
  readonly document: AccountsDocument;
}

/**
 * Ensures that there is an account `default` and that the owner's key is a full-access key of it: `given`,
 * else the key in `DATA/owner-key`, else a new one, which is written there. Rejects as `withAccountsLock`
 * does, and with `UsageError` for a key that cannot be the owner's.
 */
export async function ensureOwner(layout: DataLayout, given?: string): Promise<Owner> {
  if (given !== undefined) requireValidKey(given);
  return withAccountsLock(layout, async (locked) => {
    const storedKey = await readOwnerKey(layout);
    const key = given ?? storedKey ?? newKey();
    const document = withOwner(locked.document, key, new Date());
    if (document !== locked.document) await locked.replace(document);
    // After accounts.json: a crash in between leaves a valid old key, or none, and then the next start makes
    // one.
    if (key !== storedKey) await locked.files.write(layout.ownerKey, `${key}\n`);
    return { key, document };
  });
}

/** The owner's key in the data folder; null if there is none or it is invalid. */
export async function readOwnerKey(layout: DataLayout): Promise<string | null> {
  const text = (await readTextFile(layout.ownerKey))?.trim();
  return text !== undefined && isValidKey(text) ? text : null;
}

/** Writes the owner's key to a folder, where commands of the same user find it. */
export async function writeOwnerKey(layout: DataLayout, key: string): Promise<void> {
  if ((await readOwnerKey(layout)) === key) return;
  await new AtomicFiles(diskOfOwner(layout.folder), toWriteError).write(layout.ownerKey, `${key}\n`);
}

/** Removes the owner's key from the folder durably. A no-op if there is none. */
export async function removeOwnerKey(layout: DataLayout): Promise<void> {
  try {
    await realDisk.remove(layout.ownerKey);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await realDisk.syncFolder(layout.folder);
}

/**
 * Whether a key is a full-access key of the account `default`. Throws `UsageError` if it is another kind of
 * key.
 */
export function isOwner(document: AccountsDocument, key: string): boolean {
  const digest = digestOf(key);
  if (createWorkerKeyLookup(document)(digest) !== null)
    throw new VencError('UsageError', 'The API key in VENC_API_KEY is a worker key.', {
      hint: 'unset VENC_API_KEY, or set it to a full access key: venc keys create',
    });
  const holder = createKeyLookup(document)(digest);
  if (holder === null) return false;
  if (holder.account.id === defaultAccountId && holder.kind === 'full') return true;
  throw new VencError(
    'UsageError',
    'The API key in VENC_API_KEY is already that of another account, or a read-only one.',
  );
}

/** The document with this key as the owner's; the same document if it already is. Throws as `isOwner` does. */
export function withOwner(before: AccountsDocument, key: string, now: Date): AccountsDocument {
  if (isOwner(before, key)) return before;
  const createdAt = now.toISOString();
  const account = {
    id: defaultAccountId,
    name: 'default',
    isIntegration: false,
    createdAt,
    notificationSecret: newNotificationSecret(),
  };
  const known = accountById(before, defaultAccountId) === null ? withAccount(before, account) : before;
  const id = newShortId(allKeys(before));
  return withKey(known, { id, accountId: defaultAccountId, kind: 'full', hash: hashKey(key), createdAt });
}
