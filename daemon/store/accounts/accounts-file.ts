import { access, constants } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { guardDisk } from '../../../src/shared/util/disk.js';
import { type FileLock, tryFileLock } from '../../../src/shared/util/lock/file-lock.js';
import { holderName } from '../../../src/shared/util/lock/lock-holder.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { diskOfOwner, makeDataFolder, removeAbandonedFiles } from '../data-folder/data-folder.js';
import { toOpenError, toWriteError } from '../data-folder/disk-errors.js';
import { DurableJsonFile, JsonDocument, type ReadResult, readDocument } from '../data-folder/document.js';
import type { DataLayout } from '../data-folder/layout.js';
import {
  type AccountsDocument,
  hasAllSecrets,
  noAccounts,
  readAccountsDocument,
  type StoredAccounts,
  withMissingSecrets,
} from './accounts-document.js';
import { newNotificationSecret } from './keys.js';

/**
 * How long to wait for the lock of the accounts, and how often to retry, in milliseconds. It is held for one
 * write.
 */
const lockWaitMs = 10_000;
const lockPauseMs = 10;

/** The accounts while this process holds their lock. */
export interface LockedAccounts {
  readonly document: AccountsDocument;
  /** Writes `accounts.json` atomically and durably. */
  replace(after: AccountsDocument): Promise<void>;
  /** Writes other files of the data folder. */
  readonly files: AtomicFiles;
}

/**
 * Reads `accounts.json`, which is always complete, so that no lock is needed. Creates and stores missing
 * notification secrets. Rejects if the system lacks resources, or if the secrets cannot be stored.
 */
export async function readAccounts(layout: DataLayout): Promise<ReadResult<AccountsDocument>> {
  const found = await readDocument(layout.accounts, readAccountsDocument);
  if (found.kind !== 'whole') return found;
  if (hasAllSecrets(found.data)) return { ...found, data: found.data };
  return { ...found, data: await withAccountsLock(layout, async ({ document }) => document) };
}

/**
 * Lets `work` read and change the accounts under `DATA/accounts.lock`, which commands and a running daemon
 * both take. Creates the folder if it is missing.
 *
 * Rejects with `UsageError` if the folder cannot be written or `accounts.json` is damaged (it is left
 * unchanged), with `InUseError` if another process holds the lock for ten seconds, and as `work` does.
 */
export async function withAccountsLock<T>(
  layout: DataLayout,
  work: (locked: LockedAccounts) => Promise<T>,
): Promise<T> {
  try {
    await makeDataFolder(layout.folder);
    const lock = await takeLock(layout);
    try {
      const disk = guardDisk(diskOfOwner(layout.folder), () => requireLock(lock, layout));
      await removeAbandonedFiles(layout.folder, disk);
      const files = new AtomicFiles(disk, toWriteError);
      const accounts = accountsDocument(layout, files);
      await accounts.update((before) =>
        hasAllSecrets(before) ? before : withMissingSecrets(before, newNotificationSecret),
      );
      const document = accounts.data as AccountsDocument;
      return await work({ document, files, replace: (after) => accounts.update(() => after) });
    } finally {
      await lock.release();
    }
  } catch (error) {
    throw toOpenError(error, layout.folder);
  }
}

/** `DATA/accounts.json`. Reading it rejects with `damagedAccounts` if the file is damaged. */
export function accountsDocument(layout: DataLayout, files?: AtomicFiles): JsonDocument<StoredAccounts> {
  const damagedError = (reason: string) => damagedAccounts(layout, reason);
  const options = { path: layout.accounts, parse: readAccountsDocument, files, damagedError };
  return new JsonDocument<StoredAccounts>(new DurableJsonFile(options), noAccounts);
}

/** The error for an `accounts.json` that cannot be used. It names the file and what to do. */
export async function damagedAccounts(layout: DataLayout, reason: string): Promise<unknown> {
  const error: unknown = await access(layout.accounts, constants.R_OK).then(
    () => null,
    (caught: unknown) => caught,
  );
  const code = systemCode(error);
  if (code === 'EACCES' || code === 'EPERM') {
    return new VencError(
      'UsageError',
      `The accounts in ${layout.folder} cannot be read: permission denied.`,
      {
        cause: error,
        hint: 'Run the command as the owner of the folder, or choose another folder with --data or VENC_DATA.',
      },
    );
  }
  if (error !== null && code !== 'ENOENT') return toOpenError(error, layout.folder);
  return new VencError('UsageError', `The file ${layout.accounts} is damaged: ${reason}.`, {
    hint: 'Restore it from a backup, or move it away: the next start then creates a new one, and all other keys are lost.',
  });
}

async function takeLock(layout: DataLayout): Promise<FileLock> {
  const end = performance.now() + lockWaitMs;
  for (;;) {
    const outcome = await tryFileLock(layout.accountsLock);
    if (outcome.kind === 'taken') return outcome.lock;
    if (performance.now() > end) throw accountsLockedError(layout, holderName(outcome.holder));
    await setTimeout(lockPauseMs);
  }
}

function accountsLockedError(layout: DataLayout, holder: string): VencError {
  return new VencError(
    'InUseError',
    `The accounts in ${layout.folder} are locked by the process with ${holder}.`,
    {
      hint: 'The lock is normally held only for moments: check what that process does, then try again.',
    },
  );
}

/** Throws if another process took the lock while this one was stopped: it may have changed the accounts. */
function requireLock(lock: FileLock, layout: DataLayout): void {
  if (lock.isHeld()) return;
  throw new VencError(
    'InUseError',
    `Another process took ${layout.accountsLock} while this one was stopped: nothing more was written.`,
    { hint: 'Try again.' },
  );
}
