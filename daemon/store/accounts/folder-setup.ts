import { access, constants, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { type Disk, guardDisk, readTextFile, realDisk } from '../../../src/shared/util/disk.js';
import { type FileLock, tryFileLock } from '../../../src/shared/util/lock/file-lock.js';
import { holderName } from '../../../src/shared/util/lock/lock-holder.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { credentialsDocument, openCredentialsKey } from '../credentials/credentials-file.js';
import { diskOfOwner, makeDataFolder, removeAbandonedFiles } from '../data-folder/data-folder.js';
import { toOpenError, toWriteError } from '../data-folder/disk-errors.js';
import { DurableJsonFile, JsonDocument, type ReadResult, readDocument } from '../data-folder/document.js';
import { type DataLayout, dataLayout } from '../data-folder/layout.js';
import {
  type AccountsDocument,
  hasAllSecrets,
  noAccounts,
  readAccountsDocument,
  type StoredAccounts,
  withMissingSecrets,
} from './accounts-document.js';
import { addKeyUses, keyUsesDocument } from './key-use-recorder.js';
import { isValidKey, newNotificationSecret } from './keys.js';
import type { SetupStore } from './setup-store.js';

/**
 * How long to wait for the lock of the accounts, and how often to retry, in milliseconds. It is held for one
 * write.
 */
const lockWaitMs = 10_000;
const lockPauseMs = 10;

/** How often a running daemon polls `accounts.json`; it has to apply a change within a second. */
const watchIntervalMs = 500;

/**
 * The accounts, keys and saved credentials of a data folder. Changes are made under `DATA/accounts.lock`, which
 * commands and a running daemon both take; the folder is created if it is missing. A damaged file is never replaced.
 * Updates are written to `disk`.
 */
export function folderSetup(dataFolder: string, disk: Disk = realDisk): SetupStore {
  const layout = dataLayout(dataFolder);
  const damagedError = (reason: string) =>
    new VencError('UsageError', `The file ${layout.credentials} is damaged: ${reason}.`, {
      hint: 'Restore it from a backup, or remove it and add the credentials again.',
    });
  const credentials = async () => (await credentialsDocument(layout, { damagedError }).load()).credentials;
  const ownerKey = () => readOwnerKey(layout);
  const accounts = async () => {
    const found = await readAccounts(layout);
    if (found.kind === 'damaged') throw await damagedAccounts(layout, found.reason);
    return found.kind === 'whole' ? found.data : noAccounts;
  };
  return {
    name: `the data folder ${dataFolder}`,
    accounts,
    ownerKey: () =>
      ownerKey().catch((error: unknown) => {
        throw toOpenError(error, dataFolder);
      }),
    update: (work) =>
      withAccountsLock({ layout, disk }, (stored, files) =>
        work({
          accounts: stored.data as AccountsDocument,
          replaceAccounts: (after) => stored.update(() => after),
          ownerKey,
          replaceOwnerKey: (key) =>
            key === null ? removeOwnerKey(layout) : files.write(layout.ownerKey, `${key}\n`),
          credentialsKey: () => openCredentialsKey(layout, files),
          credentials,
          replaceCredentials: (after) =>
            credentialsDocument(layout, { damagedError, files }).update(() => ({ credentials: after })),
        }),
      ),
    async follow(apply, log) {
      // Records the version before reading, so that the first poll finds a change in between.
      const poller = await FilePoller.create(layout.accounts);
      apply(await accounts());
      poller.start(watchIntervalMs, async () => {
        const found = await readAccounts(layout);
        if (found.kind === 'whole') return apply(found.data);
        const reason = found.kind === 'missing' ? 'it has disappeared' : found.reason;
        log('error', `The file ${layout.accounts} is damaged: ${reason}. The previous keys stay valid.`);
      });
      return { refresh: () => poller.poll(), stop: () => poller.close() };
    },
    keyUses: () => keyUsesDocument(layout.keyUses).load(),
    addKeyUses: (uses, isKey) => addKeyUses(layout.keyUses, uses, isKey),
    credentials,
    close: async () => undefined,
  };
}

/**
 * Reads `accounts.json`, which is always complete, so that no lock is needed. Creates and stores missing
 * notification secrets. Rejects if the system lacks resources, or if the secrets cannot be stored.
 */
async function readAccounts(layout: DataLayout): Promise<ReadResult<AccountsDocument>> {
  const found = await readDocument(layout.accounts, readAccountsDocument);
  if (found.kind !== 'whole') return found;
  if (hasAllSecrets(found.data)) return { ...found, data: found.data };
  return { ...found, data: await withAccountsLock({ layout }, async ({ data }) => data as AccountsDocument) };
}

/**
 * Lets `work` change the accounts, which have all their secrets, and other files of the folder. Rejects as
 * `SetupStore.update` does.
 */
async function withAccountsLock<T>(
  { layout, disk = realDisk }: { readonly layout: DataLayout; readonly disk?: Disk },
  work: (accounts: JsonDocument<StoredAccounts>, files: AtomicFiles) => Promise<T>,
): Promise<T> {
  try {
    await makeDataFolder(layout.folder);
    const lock = await takeLock(layout);
    try {
      const guarded = guardDisk(diskOfOwner(layout.folder, disk), () => requireLock(lock, layout));
      await removeAbandonedFiles(layout.folder, guarded);
      const files = new AtomicFiles(guarded, toWriteError);
      const accounts = accountsDocument(layout, files);
      await accounts.update((before) =>
        hasAllSecrets(before) ? before : withMissingSecrets(before, newNotificationSecret),
      );
      return await work(accounts, files);
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
async function damagedAccounts(layout: DataLayout, reason: string): Promise<unknown> {
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
    await sleep(lockPauseMs);
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
async function removeOwnerKey(layout: DataLayout): Promise<void> {
  try {
    await realDisk.remove(layout.ownerKey);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await realDisk.syncFolder(layout.folder);
}

/**
 * Detects by polling that a file was replaced or changed, outside of any request. `fs.watch` was rejected
 * because it fails on network disks and when the system's watches are exhausted. `fs.watchFile` misses a
 * change that happens before its own first poll.
 */
class FilePoller {
  readonly #path: string;
  #version: string;
  #timer: NodeJS.Timeout | null = null;
  #onChange: () => Promise<void> = async () => {};
  #polling: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(path: string, version: string) {
    this.#path = path;
    this.#version = version;
  }

  /** Records the current version of the file, which later polls compare with. */
  static async create(path: string): Promise<FilePoller> {
    return new FilePoller(path, await fileVersionOf(path));
  }

  /** Polls at an interval and calls `onChange` if the file has changed. Does not keep the process alive. */
  start(intervalMs: number, onChange: () => Promise<void>): void {
    this.#onChange = onChange;
    const schedule = () => {
      this.#timer = setTimeout(() => {
        void this.poll().finally(() => {
          if (this.#timer !== null) schedule();
        });
      }, intervalMs).unref();
    };
    schedule();
  }

  /**
   * Polls now. Resolves when a poll that began after the call has ended; concurrent calls share one. Never
   * rejects.
   */
  poll(): Promise<void> {
    this.#next ??= this.#polling.then(() => {
      this.#next = null;
      this.#polling = this.#pollOnce();
      return this.#polling;
    });
    return this.#next;
  }

  /** Stops polling; resolves when no call of `onChange` is running. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await (this.#next ?? this.#polling);
  }

  async #pollOnce(): Promise<void> {
    const version = await fileVersionOf(this.#path);
    if (version === this.#version) return;
    try {
      await this.#onChange();
      this.#version = version;
    } catch {
      // The machine lacks a resource: the recorded version stays the old one, so that the next poll tries
      // again.
    }
  }
}

/** Identifies a version of a file; a fixed text if there is no file. */
async function fileVersionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'none';
  }
}
