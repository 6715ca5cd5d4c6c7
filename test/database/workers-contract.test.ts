import { workersContract } from '../contracts/workers.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { sharedWorkersHarness } from '../helpers/shared-workers-harness.js';

const found = findPostgres();
if ('missing' in found) skipSuite('the worker registry of several daemons', found);
else {
  const server = await startPostgres(found.bin);
  workersContract(
    'the worker registry of several daemons',
    () => sharedWorkersHarness(server),
    () => server.end(),
  );
}
