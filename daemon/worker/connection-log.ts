import type { VencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';

/** Failures in a row after which the daemon counts as unreachable: a single one is common, as when a proxy restarts. */
const maxFailures = 2;

/**
 * Logs when the daemon becomes unreachable, and when it answers again, once each. The returned function receives the error of every request
 * that failed, and null for one that succeeded.
 */
export function createConnectionLog(log: Log, url: string): (error: VencError | null) => void {
  let failures = 0;
  return (error) => {
    if (error === null) {
      if (failures >= maxFailures) log('info', `The daemon at ${url} answers again.`);
      failures = 0;
      return;
    }
    failures += 1;
    if (failures !== maxFailures) return;
    const reason = error.message.replace(/\.$/, '');
    log(
      'warn',
      `The daemon at ${url} cannot be reached (${reason}): running jobs go on, and their outputs are delivered once it answers. The worker tries again every few seconds.`,
    );
  };
}
