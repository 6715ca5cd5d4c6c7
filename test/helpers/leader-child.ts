import { clientConfig } from '../../daemon/store/postgres/connection.js';
import { lead } from '../../daemon/store/postgres/locks.js';

/*
 * A process for tests to kill and to freeze. It takes part in the choice of a leader of the database that its first argument names, and
 * prints `gained` and `lost`.
 */
const [dsn = ''] = process.argv.slice(2);
lead(clientConfig(dsn), {
  log: () => undefined,
  onGained(signal) {
    console.log('gained');
    signal.addEventListener('abort', () => console.log('lost'));
  },
});
process.stdin.resume();
