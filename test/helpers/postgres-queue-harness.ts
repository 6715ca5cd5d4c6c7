import { randomBytes } from 'node:crypto';
import { startQueueEngine } from '../../daemon/queue/postgres/engine.js';
import { openPostgresQueue } from '../../daemon/queue/postgres/postgres-queue.js';
import { QueueEntries } from '../../daemon/queue/postgres/queue-entries.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import { delay } from '../../daemon/queue/retry-until-persisted.js';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { createPostgresJobStore } from '../../daemon/store/postgres/jobs.js';
import type { QueueHarness } from '../contracts/job-queue/queue-facts.js';
import type { PostgresServer } from './postgres.js';

const tables = ['jobs', 'removed_jobs', 'idempotency_keys', 'usage', 'removed_files', 'queue_entries'];
const clear = [
  ...tables.map((table) => `delete from venc.${table}`),
  'update venc.ids set last_id = 0',
  'delete from venc_queue.job',
].join(';');

/** A process with a queue of a database: one of several daemons. */
export interface PostgresQueueProcess extends QueueHarness {
  readonly logLines: readonly string[];
  readonly entries: QueueEntries;
}

/** Opens the store and the queues of one daemon. */
export async function openQueueProcess(server: PostgresServer, name: string): Promise<PostgresQueueProcess> {
  const logLines: string[] = [];
  const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
  const database = await openPostgresDatabase(server.dsn(name), { log });
  const engine = await startQueueEngine(database, log);
  const entries = new QueueEntries(database, engine);
  const { beforeCreate, onCreate, onUpdate } = entries;
  const store = await createPostgresJobStore({ database, log, beforeCreate, onCreate, onUpdate });
  const progressTracker = new ProgressTracker();
  const queues: { close(graceMs: number): Promise<void> }[] = [];
  const now = () => new Date();
  const parts = { database, entries, store, progressTracker, now, log, delay };
  return {
    store,
    progressTracker,
    logLines,
    entries,
    async openQueue() {
      const queue = await openPostgresQueue({
        ...parts,
        randomToken: () => randomBytes(16).toString('hex'),
      });
      queues.push(queue);
      return queue;
    },
    async close() {
      for (const queue of queues) await queue.close(0);
      await engine.close();
      await store.close();
      await database.close();
    },
  };
}

/** Returns a function that opens a process with an empty database. All use the same database, one after the other. */
export async function postgresQueueHarnesses(
  server: PostgresServer,
): Promise<() => Promise<PostgresQueueProcess>> {
  const database = await server.createDatabase();
  await (await openQueueProcess(server, database)).close();
  return async () => {
    await server.query(database, clear);
    return openQueueProcess(server, database);
  };
}
