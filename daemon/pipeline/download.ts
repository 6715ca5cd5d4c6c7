import { join } from 'node:path';
import { isLocal } from '../jobs/expected-work.js';
import type { FileFacts } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { defaultConnections } from '../transfer/default-connections.js';
import { transportFor } from '../transports/registry.js';
import type { Turn } from './concurrency-limits.js';
import type { ScratchHold } from './disk-reservations.js';
import type { Workbench } from './pipeline-context.js';
import { downloadShareOf } from './progress-weights.js';
import { attempt } from './run-stage.js';

/** The input on this machine's disk. */
export interface Source {
  readonly path: string;
  readonly file: FileFacts;
  /** What the job needs of the disk, to be released at its end. */
  readonly hold: ScratchHold;
}

/**
 * Brings the input into the scratch folder, once it is the job's turn and there is room. On failure the job is failed and null given
 * back.
 */
export function download(run: Run, bench: Workbench, scratch: string, turn: Turn): Promise<Source | null> {
  const { url } = run.job.input;
  return attempt(
    run,
    () =>
      turn.through(isLocal(url) ? 'copies' : 'downloads', run.signal, () => fetch(run, bench, scratch, turn)),
    'DownloadFailureError',
    (fault) => run.change({ type: 'input-failed', fault }),
  );
}

async function fetch(run: Run, bench: Workbench, scratch: string, turn: Turn): Promise<Source> {
  const { input } = run.job;
  const path = join(scratch, 'input');
  const transport = transportFor(bench.transports, input.url);
  if (transport.download === undefined) throw new TypeError('the scheme of the input takes no downloads');
  const sizeOf = async () => (await transport.sizeOf?.(input.url, run.signal)) ?? null;
  const hold = await run.waiting(bench.space.hold(turn.number, sizeOf, run.signal));
  try {
    const file = await transport.download(input.url, path, {
      signal: run.signal,
      connections: input.connections ?? defaultConnections,
      onProgress: (done, total) => {
        hold.arrived(done, total);
        const percent = total === null || total === 0 ? 0 : (done / total) * 100;
        run.progress(input.id, {
          event: 'downloading',
          percent,
          overallPercent: percent * downloadShareOf(input.url),
        });
      },
    });
    hold.arrived(file.sizeBytes, file.sizeBytes);
    return { path, file, hold };
  } catch (error) {
    hold.release();
    throw error;
  }
}
