import { randomBytes } from 'node:crypto';
import { openSharedWorkers, type SharedWorkers } from '../../daemon/queue/remote/shared-workers.js';
import { openPostgresDatabase, type PostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { openWorkerTable } from '../../daemon/store/postgres/workers.js';
import { contractLeaseMs, type WorkersHarness } from '../contracts/workers.js';
import type { PostgresServer } from './postgres.js';

/** A registry as one daemon has it. */
export interface OpenRegistry {
  readonly registry: SharedWorkers;
  readonly database: PostgresDatabase;
  readonly logLines: readonly string[];
}

/** A database for registries. */
export interface SharedWorkersHarness extends WorkersHarness {
  readonly registry: SharedWorkers;
  /** The name of the database. */
  readonly database: string;
  /** Opens the registry of another daemon. */
  open(): Promise<OpenRegistry>;
}

/** Creates a database with the registry of one daemon, without workers. */
export async function sharedWorkersHarness(server: PostgresServer): Promise<SharedWorkersHarness> {
  const database = await server.createDatabase();
  const opened: OpenRegistry[] = [];
  let passedMs = 0;
  const open = async (): Promise<OpenRegistry> => {
    const logLines: string[] = [];
    const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
    const one = await openPostgresDatabase(server.dsn(database), { log });
    const registry = await openSharedWorkers({
      table: openWorkerTable(one),
      now: () => new Date(Date.now() + passedMs),
      randomToken: () => randomBytes(16).toString('hex'),
      leaseMs: contractLeaseMs,
      log,
    });
    const found = { registry, database: one, logLines };
    opened.push(found);
    return found;
  };
  const { registry } = await open();
  return {
    registry,
    database,
    open,
    async pass(ms) {
      // The database first: a registry that reads it in between would take the workers for seen now.
      await server.query(
        database,
        `update venc.workers set last_seen_at = last_seen_at - interval '${ms} milliseconds'`,
      );
      passedMs += ms;
    },
    restart: async () => (await open()).registry,
    async close() {
      for (const one of opened.splice(0)) {
        await one.registry.close();
        await one.database.close();
      }
    },
  };
}
