import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Log } from '../../../src/shared/util/log.js';
import { timeoutSignal } from '../../../src/shared/util/timing.js';
import type { Job } from '../../jobs/job.js';
import type { JobProgress } from '../../jobs/progress.js';
import type { Run } from '../../jobs/run.js';
import type { SavedCredentials } from '../../jobs/saved-credentials.js';
import { describeError, endOfLostRun, requeue } from '../../queue/job-run.js';
import { startQueueEngine } from '../../queue/postgres/engine.js';
import { openPostgresQueue, superviseQueue } from '../../queue/postgres/postgres-queue.js';
import { QueueEntries } from '../../queue/postgres/queue-entries.js';
import type { RunPauses } from '../../queue/queue-run.js';
import { openSharedWorkers } from '../../queue/remote/shared-workers.js';
import { delay, isUnavailable, retryUntilPersisted } from '../../queue/retry-until-persisted.js';
import { openAccounts } from '../../store/accounts/accounts.js';
import { writeOwnerKey } from '../../store/accounts/folder-setup.js';
import type { SetupStore } from '../../store/accounts/setup-store.js';
import { readPlaceId } from '../../store/data-folder/data-folder.js';
import { type DataLayout, dataLayout } from '../../store/data-folder/layout.js';
import { postgresSetup } from '../../store/postgres/accounts.js';
import {
  clientConfig,
  openPostgresDatabase,
  type PostgresDatabase,
} from '../../store/postgres/connection.js';
import { openEncryptionKey, openPostgresCredentials } from '../../store/postgres/credentials.js';
import { createDatabaseCheck } from '../../store/postgres/errors.js';
import { mergeJobCounts } from '../../store/postgres/job-rows.js';
import { createPostgresJobStore, type PostgresJobStore } from '../../store/postgres/jobs.js';
import { type Leadership, lead } from '../../store/postgres/locks.js';
import { forgetRemovals } from '../../store/postgres/positions.js';
import { shareProgress } from '../../store/postgres/progress.js';
import { openWorkerTable } from '../../store/postgres/workers.js';
import type { Records, RecordsOptions } from './records.js';

/** The options of records in a database. */
interface DatabaseRecordsOptions extends RecordsOptions {
  readonly dsn: string;
}

/**
 * Opens the records in a PostgreSQL database, which several daemons share. Rejects with `UsageError` if the database
 * cannot be used, and with `UnavailableError` if it cannot be reached.
 */
export async function openDatabaseRecords(options: DatabaseRecordsOptions): Promise<Records> {
  const { dsn, dataFolder, now, randomToken, log, onRemoved } = options;
  const steps: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of steps.splice(0)) await step();
  };
  try {
    const database = await openPostgresDatabase(dsn, { log });
    steps.unshift(() => database.close());
    const given = process.env.VENC_DATABASE_KEY;
    const encryptionKey = await openEncryptionKey(database.queries, { dataFolder, given });
    const engine = await startQueueEngine(database, log);
    steps.unshift(() => engine.close());
    const entries = new QueueEntries(database, engine);
    const { beforeCreate, onCreate, onUpdate } = entries;
    const storeOptions = { database, log, onRemoved, beforeCreate, onCreate, onUpdate };
    const store = await createPostgresJobStore(storeOptions);
    steps.unshift(() => store.close());
    const setup = postgresSetup({ database, encryptionKey });
    const accounts = await openAccounts(setup, { log, now });
    steps.unshift(() => accounts.close());
    const layout = dataLayout(dataFolder);
    // The claims of this daemon begin with the id of its folder, which no other daemon has.
    const placeId = await readPlaceId(layout.folderId);
    const isOwnRun = ({ claim, worker }: Job) =>
      worker === undefined && (claim?.startsWith(`${placeId}-`) ?? false);
    let leadership: Leadership | null = null;
    let progressOf = (_: number): JobProgress => new Map();
    let pauses: RunPauses | undefined;
    const savedCredentials = openPostgresCredentials(database, encryptionKey);
    return {
      store,
      accounts,
      setup,
      savedCredentials,
      credentialsOfRun: (run) => untilAvailable(savedCredentials, run, log),
      async ensureOwner(key) {
        await writeOwnerKey(layout, await accounts.ensureOwner(key));
        // A rotation replaces it while daemons run.
        const unwatch = accounts.watch(() => void copyOwnerKey(setup, layout, log));
        steps.unshift(async () => unwatch());
      },
      watchOwn: (listener) => void store.watchOwn(listener),
      isOwnRun,
      async openQueue(parts) {
        progressOf = (jobId) => parts.progressTracker.read(jobId);
        pauses = parts.pauses;
        const sharing = await shareProgress({ database, progressTracker: parts.progressTracker, store, log });
        steps.unshift(() => sharing.close());
        return openPostgresQueue({
          ...{ database, entries, store, now, log, delay, ...parts },
          randomToken: () => `${placeId}-${randomBytes(16).toString('hex')}`,
        });
      },
      openWorkers: (leaseMs) =>
        openSharedWorkers({ table: openWorkerTable(database), now, randomToken, leaseMs, log }),
      resumeClaims: async () => {},
      async recover({ pauses }) {
        await requeueOwnRuns({ database, store, isOwnRun, pauses, now });
        database.expectRecovery();
      },
      startSharedWork(open) {
        leadership = lead(clientConfig(dsn), {
          log,
          async onGained(signal) {
            const work = open();
            work.start();
            const mergeCounts = async () => {
              await mergeJobCounts(database.queries);
              await forgetRemovals(database.queries);
            };
            superviseQueue(
              {
                entries,
                store,
                progressOf,
                mergeCounts,
                now,
                log,
                ...(pauses === undefined ? {} : { pauses }),
              },
              signal,
            );
            if (!signal.aborted) await once(signal, 'abort');
            await work.close();
          },
        });
      },
      closeSharedWork: async () => leadership?.close(),
      databaseProblem: createDatabaseCheck(database, engine.check),
      close,
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Writes the owner's key of the database to the data folder, where commands of the same user find it. */
async function copyOwnerKey(setup: SetupStore, layout: DataLayout, log: Log): Promise<void> {
  try {
    const key = await setup.ownerKey();
    if (key !== null) await writeOwnerKey(layout, key);
  } catch (error) {
    log('warn', `The owner's key could not be copied to ${layout.ownerKey}: ${describeError(error)}`);
  }
}

/** How long the removal of delivered files, after its run was stopped, waits for the database, in milliseconds. */
const rollbackTimeoutMs = 5_000;

/** Saved credentials for a run, which are read again while the database is not available. */
function untilAvailable(
  saved: SavedCredentials,
  { job, signal }: Pick<Run, 'job' | 'signal'>,
  log: Log,
): SavedCredentials {
  return {
    check: (request) => saved.check(request),
    async find(request) {
      const ended = signal.aborted ? timeoutSignal(rollbackTimeoutMs) : signal;
      const read = async () => ({ found: await saved.find(request) });
      const answer = await retryUntilPersisted(read, {
        signal: ended,
        delay,
        isTemporary: isUnavailable,
        onFailure: (error, delayMs) =>
          log(
            'warn',
            `The saved credentials of job ${job.id} cannot be read yet, next attempt in ${delayMs} ms: ${describeError(error)}`,
            { jobId: job.id },
          ),
      });
      if (answer === null) throw ended.reason;
      return answer.found;
    },
  };
}

/**
 * Puts the jobs back in the queue that an earlier process of this daemon was running, without waiting until its lease
 * is over.
 */
async function requeueOwnRuns(parts: {
  readonly database: PostgresDatabase;
  readonly store: PostgresJobStore;
  readonly isOwnRun: (job: Job) => boolean;
  readonly pauses: Pick<RunPauses, 'freezes'>;
  readonly now: () => Date;
}): Promise<void> {
  const { database, store, isOwnRun, pauses, now } = parts;
  const running = await database.queries
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'processing')
    .execute();
  for (const { id } of running)
    await store.update(Number(id), (job) =>
      isOwnRun(job) ? requeue(job, job.claim ?? '', endOfLostRun(pauses, job), now()) : job,
    );
}
