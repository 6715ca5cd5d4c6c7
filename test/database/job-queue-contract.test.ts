import { jobQueueContract } from '../contracts/job-queue.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { postgresQueueHarnesses } from '../helpers/postgres-queue-harness.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
if ('missing' in found) skipSuite('the PostgreSQL queue', found);
else {
  const server = await startPostgres(found.bin);
  jobQueueContract('the PostgreSQL queue', await postgresQueueHarnesses(server), { end: () => server.end() });
}
