import { jobStoreContract } from '../contracts/job-store.js';
import { findDatabasePrograms } from '../helpers/database-daemons.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { postgresHarnesses } from '../helpers/postgres-store-harness.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
if ('missing' in found) skipSuite('the PostgreSQL job store', found);
else {
  const server = await startPostgres(found.bin);
  jobStoreContract('the PostgreSQL job store', await postgresHarnesses(server), { end: () => server.end() });
}

// The engine of the queue needs a newer Node.js.
const programs = findDatabasePrograms();
const withQueue = 'the PostgreSQL job store with its queue';
if ('missing' in programs) skipSuite(withQueue, programs);
else {
  const server = await startPostgres(programs.bin);
  const harnesses = await postgresHarnesses(server, { hasQueue: true });
  jobStoreContract(withQueue, harnesses, { end: () => server.end() });
}
