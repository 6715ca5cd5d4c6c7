import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../daemon/admin/accounts.js';
import { addCredential } from '../../daemon/admin/credentials.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { openAccounts } from '../../daemon/store/accounts/accounts.js';
import { createKey, createWorkerKey, rotateOwnerKey } from '../../daemon/store/accounts/api-keys.js';
import { folderSetup } from '../../daemon/store/accounts/folder-setup.js';
import { openDrainedWorkers } from '../../daemon/store/data-folder/drained-workers.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { startCli } from '../cli/run-cli.js';
import {
  applying,
  draftWith,
  finishUpdates,
  startUpdates,
  updateAll,
} from '../contracts/job-store/store-facts.js';
import { makeJobs } from './make-jobs.js';
import { listRecursively, tempFolder } from './temp.js';

const log = () => undefined;

/** The secrets in the folder of `fillDataFolder`. No message may contain them. */
export const folderSecrets = ['a-secret-of-a-bucket', 'an-owner-key-for-tests'] as const;

/**
 * Creates a data folder with jobs in every state, idempotency keys, pending notifications, removed jobs, accounts, all kinds of keys,
 * a retired one, a pause, a preset, credentials and drained workers.
 */
export async function fillDataFolder(jobCount: number): Promise<string> {
  const folder = join(tempFolder(), 'data');
  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000);
  makeJobs(folder, { count: jobCount, firstEnd: daysAgo(30), lastEnd: daysAgo(2) });
  const accounts = await openAccounts(folderSetup(folder), { log });
  await accounts.ensureOwner('an-earlier-key-for-tests');
  await rotateOwnerKey(openFolderSetup(folder), 3600);
  await accounts.ensureOwner(folderSecrets[1]);
  const since = daysAgo(1).toISOString();
  await accounts.changePause('default', () => ({ since, seconds: null, isFrozen: true }));
  await accounts.changeOpenHours(() => ({ since, seconds: 7200 }));
  await accounts.changePresets('default', () => ({ tiny: { width: 160 } }));
  await accounts.close();
  await createAccount(openFolderSetup(folder), 'studio');
  const { id: usedKey } = await createKey(openFolderSetup(folder), 'studio', 'read-only');
  await createWorkerKey(openFolderSetup(folder), { name: 'attic', expiresAt: daysAgo(-9).toISOString() });
  writeFileSync(join(folder, 'key-uses.json'), JSON.stringify({ [usedKey]: daysAgo(1).toISOString() }));
  const credential = { user: 'me', secret: folderSecrets[0], account: 'studio' };
  await addCredential(openFolderSetup(folder), {
    ...credential,
    name: 'films',
    scheme: 's3',
    isDefault: true,
  });
  const drained = await openDrainedWorkers(folder);
  for (const name of ['garage', 'attic']) await drained.set(name, true);
  const store = await openJobStore(folder, { log });
  await addJobs(store, new Date(now));
  await store.close();
  return folder;
}

/** An input of a job that is read in place. */
const inPlace = { identity: '1:2', sizeBytes: 3, modifiedNs: '4000000000000000000', daemonId: 'box' };

/** Adds jobs that wait, run, have ended with a notification that is not delivered, and were removed. */
async function addJobs(store: JobStore, now: Date): Promise<void> {
  await store.create(draftWith({ key: 'a key \u00e4"', now, queueing: { priority: 5, requires: ['gpu'] } }));
  const running = await store.create(draftWith({ key: 'running', now, outputCount: 3 }));
  await updateAll(store, running, startUpdates);
  const ended = await store.create(draftWith({ now, grouping: '\ud800 and \u0000' }));
  const notified = { url: 'http://u:p@localhost/hook', format: 'json', headers: {} } as const;
  await store.update(ended.id, (job) => ({ ...job, notifications: [notified] }));
  await updateAll(store, ended, [...startUpdates, ...finishUpdates(ended.outputs[0]?.id ?? 0, 61.5, now)]);
  for (const accountId of ['default', 'gone']) {
    const removed = await store.create(draftWith({ accountId, now, grouping: 'removed', outputCount: 2 }));
    const finished = removed.outputs.flatMap(({ id }) => finishUpdates(id, 12.25, now));
    await updateAll(store, removed, [...startUpdates, ...finished]);
    await store.remove(removed.id);
  }
  await store.update(ended.id, (job) => ({ ...job, input: { ...job.input, inPlace } }));
  const cancelled = await store.create(draftWith({ now }));
  await store.update(cancelled.id, applying({ type: 'cancelled' }, now));
}

/** What two stores must agree on after a migration. */
export async function contentOf(store: JobStore): Promise<unknown> {
  const { jobs, total } = await store.list({ offset: 0, limit: 1000 });
  const accountIds = ['default', '2', '3', 'anna', 'gone'];
  const usage = await Promise.all(
    accountIds.map((accountId) => store.usage({ accountId, from: '2000-01-01', to: '2999-01-01' })),
  );
  const active = await store.active();
  const notified = await store.listWithNotifications();
  const day = new Date(Date.now() - 86_000_000);
  const byKey = await Promise.all(
    ['a key \u00e4"', 'running'].map((key) => store.findByIdempotencyKey('anna', key, day)),
  );
  const idsOf = (found: readonly ({ readonly id: number } | null)[]) => found.map((job) => job?.id ?? null);
  return {
    jobs: jobs.map((job) => JSON.parse(JSON.stringify(job)) as unknown),
    total,
    usage,
    active: idsOf(active),
    notified: idsOf(notified),
    byKey: idsOf(byKey),
    removedFiles: [...store.removedFiles()].sort(),
  };
}

/** A row of `venc migrate --json`. */
export interface MigratedRow {
  readonly what: string;
  readonly source_count: number;
  readonly target_count: number;
  readonly source_checksum: string;
  readonly target_checksum: string;
  readonly equal: boolean;
}

/** Starts `venc migrate --json`. */
export function startMigration(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return startCli(['migrate', '--json', '--progress', 'json', ...args], { env });
}

/** Runs `venc migrate --json` and returns its rows; fails unless it exits with 0. */
export async function migrated(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly MigratedRow[]> {
  const { code, stdout, stderr } = await startMigration(args, env).ended;
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as readonly MigratedRow[];
}

/** The checksum of each kind of records, which a later migration of the same records must show again. */
export function checksumsIn(rows: readonly MigratedRow[]): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map((row) => [row.what, `${row.source_count} ${row.source_checksum}`]));
}

/** The checksum of each file in a folder, by its path. */
export async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const paths = (await listRecursively(folder)).filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(
    paths.sort().map((path) => {
      const bytes = readFileSync(join(folder, path));
      return [path, createHash('sha256').update(bytes).digest('hex')];
    }),
  );
}
