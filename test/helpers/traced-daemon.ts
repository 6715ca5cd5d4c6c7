import { join } from 'node:path';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { processKey, startDaemonProcess } from './daemon-process.js';
import { tempFolder } from './temp.js';
import { pollUntil } from './wait-until.js';

/** A daemon with variables of OpenTelemetry. */
export interface TracedDaemon {
  readonly url: string;
  readonly logged: () => string;
  /** Creates a job, waits until it has ended, and returns its record. */
  run(request: object, headers?: Readonly<Record<string, string>>): Promise<JobRecord>;
  end(): Promise<number | null>;
}

/** Starts a daemon with variables of OpenTelemetry. It sends spans ten times a second, not only every five seconds. */
export async function startTracedDaemon(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<TracedDaemon> {
  const daemon = await startDaemonProcess(
    join(tempFolder(), 'data'),
    ['--jobs', '1', '--grace', '0s', '--min-free', '0', ...args],
    { OTEL_BSP_SCHEDULE_DELAY: '100', ...env },
  );
  const key = { 'Service-Api-Key': processKey };
  return {
    url: daemon.url,
    logged: daemon.logged,
    async run(request, headers = {}) {
      const response = await fetch(`${daemon.url}/v2/jobs`, {
        method: 'POST',
        headers: { ...key, ...headers },
        body: JSON.stringify(request),
      });
      const { id } = (await response.json()) as { id: string };
      const read = async () => {
        const found = await fetch(`${daemon.url}/v2/jobs/${id}`, { headers: key });
        return ((await found.json()) as { job: JobRecord }).job;
      };
      return pollUntil(read, ({ state }) => isFinal(state));
    },
    end: () => daemon.end('SIGTERM'),
  };
}
