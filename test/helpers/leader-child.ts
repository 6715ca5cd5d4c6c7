import { lead } from '../../daemon/store/postgres/leadership.js';

/*
 * A process for tests to kill and to freeze. It takes part in the choice of a leader of the database that its first argument names, and
 * prints `gained` and `lost`.
 */
const [dsn = ''] = process.argv.slice(2);
lead(dsn, {
  log: () => undefined,
  onGained(signal) {
    console.log('gained');
    signal.addEventListener('abort', () => console.log('lost'));
  },
});
process.stdin.resume();
