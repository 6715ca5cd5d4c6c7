import { join } from 'node:path';
import { jobTable } from '../../src/api/settings/index.js';
import type { FileFacts } from '../jobs/job.js';
import type { Run } from '../queue/job-queue.js';
import { transportFor } from '../transports/registry.js';
import { attempt } from './attempt.js';
import { downloadShareOf } from './shares.js';
import type { Workbench } from './workbench.js';

/** The input on this machine's disk. */
export interface Source {
  readonly path: string;
  readonly file: FileFacts;
}

/** Connections for a download whose request names no number of them (`download_connections`, section 4.1). */
const defaultConnections = jobTable.download_connections.default;

/** Brings the input into the scratch folder. On failure the job is failed and null given back. */
export function download(run: Run, bench: Workbench, scratch: string): Promise<Source | null> {
  const { input } = run.job;
  const path = join(scratch, 'input');
  return attempt(
    run,
    async () => {
      const transport = transportFor(bench.transports, input.url);
      if (transport.download === undefined) throw new TypeError('the scheme of the input takes no downloads');
      const file = await transport.download(input.url, path, {
        signal: run.signal,
        connections: input.connections ?? defaultConnections,
        onProgress: (done, total) => {
          const percent = total === null || total === 0 ? 0 : (done / total) * 100;
          run.progress(input.id, {
            event: 'downloading',
            percent,
            overallPercent: percent * downloadShareOf(input.url),
          });
        },
      });
      return { path, file };
    },
    'DownloadFailureError',
    (fault) => run.change({ type: 'input-failed', fault }),
  );
}
