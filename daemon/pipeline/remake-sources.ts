import type { Job } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import { dependentsOf, sourceFailure } from '../jobs/output-graph.js';
import type { Run } from '../jobs/run.js';

/**
 * Wraps a run in which outputs that have ended are made again, only as sources. Their own state does not change; if one fails, the outputs
 * that wait for it have no input.
 */
export function withRemadeSources(run: Run, ids: ReadonlySet<number>): Run {
  if (ids.size === 0) return run;
  const change = async (made: Change): Promise<Job> => {
    if (!('id' in made) || !ids.has(made.id)) return run.change(made);
    let { job } = run;
    const source = job.outputs.find(({ id }) => id === made.id);
    if (made.type !== 'output-failed' || source === undefined) return job;
    for (const { id, state } of dependentsOf(job.outputs, source)) {
      if (ids.has(id)) job = await change({ ...made, id });
      else if (state === 'waiting') {
        job = await run.change({ type: 'source-failed', id, failure: sourceFailure(source) });
      }
    }
    return job;
  };
  return { ...run, change };
}
