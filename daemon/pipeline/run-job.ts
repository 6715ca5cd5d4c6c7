import { rm } from 'node:fs/promises';
import { isFinal } from '../../src/shared/states.js';
import type { Change } from '../jobs/changes.js';
import type { Run, RunHandler } from '../jobs/run.js';
import { type Turn, turnOf } from './concurrency-limits.js';
import { deliver } from './deliver.js';
import { download, type Source } from './download.js';
import { encode } from './encode.js';
import { inspect } from './inspect.js';
import { endLine, fileLine, outputName, startedLine } from './log-lines.js';
import { takeThumbnails } from './make-thumbnails.js';
import type { Workbench } from './pipeline-context.js';
import { type PlannedGroup, planJob } from './plan-job.js';
import { alongside, type Begin } from './task-group.js';

/**
 * Carries one job out, stage by stage: download, inspect, plan, then encode the outputs, together those that can share the decoding,
 * and deliver each while the next are encoded. Each stage waits for its place beside other jobs; what is ready to be encoded is so in
 * the order in which the runs began. What fails is told to the job as a change; an output that fails takes no other with it. Ends
 * early, leaving no file and no encoder, when the run is stopped.
 */
export function jobRunner(bench: Workbench): RunHandler {
  let runs = 0;
  return async (run) => {
    runs += 1;
    const turn = turnOf(bench.lanes, run, runs);
    const scratch = await bench.scratch.open(run.job.id);
    let source: Source | null = null;
    try {
      const told = logged(run, bench);
      source = await download(told, bench, scratch, turn);
      if (source !== null) await carryOut(told, bench, { scratch, turn, source });
    } catch (error) {
      // Whoever stopped the run has already said what becomes of the job.
      if (!run.signal.aborted) throw error;
    } finally {
      // The reservation ends with the job, whether or not its folder could be removed: what is left there is no longer free anyhow.
      source?.hold.release();
      await bench.scratch.close(scratch);
    }
  };
}

/** What a run has at hand once its input is there. */
interface Stand {
  readonly scratch: string;
  readonly turn: Turn;
  readonly source: Source;
}

async function carryOut(run: Run, bench: Workbench, stand: Stand): Promise<void> {
  const { source, scratch, turn } = stand;
  const media = await inspect(run, bench, source);
  if (media === null) return;
  const groups = await planJob(run, bench, { media, input: source.path, scratch });
  if (groups.length === 0) return;
  await alongside(run, async (own, begin) => {
    await turn.through('encodes', own.signal, () => makeAll(own, bench, { ...stand, groups }, begin));
    await rm(source.path, { force: true });
    source.hold.made();
  });
}

/** Makes the outputs, and has each delivered as soon as it is there. Where the disk fills up, what is made must leave it first. */
async function makeAll(
  run: Run,
  bench: Workbench,
  { source, scratch, turn, groups }: Stand & { readonly groups: readonly PlannedGroup[] },
  begin: Begin,
): Promise<void> {
  let delivered: Promise<unknown>[] = [];
  for (const group of groups) {
    if (delivered.length > 0 && !(await bench.space.hasRoomFor(source.file.sizeBytes))) {
      await Promise.allSettled(delivered);
      delivered = [];
    }
    for await (const { output, encoded } of encode(run, bench, group, scratch)) {
      const thumbnails = await takeThumbnails(run, bench, { output, encoded, scratch });
      if (thumbnails === null) continue;
      begin((beside) => {
        const delivery = deliver(beside, bench, { output, encoded, thumbnails, scratch, turn });
        delivered.push(delivery);
        return delivery;
      });
    }
  }
}

/** The same run, with what happens to the job and its files in the log. */
function logged(run: Run, { log }: Workbench): Run {
  const { id, outputs } = run.job;
  const beganAt = performance.now();
  log('info', startedLine(run.job));
  const partOf = (change: Change) =>
    'id' in change
      ? outputName(
          outputs.find((output) => output.id === change.id),
          change.id,
        )
      : 'the input';
  return {
    ...run,
    async change(change) {
      const job = await run.change(change);
      if ('media' in change) log('info', fileLine(id, partOf(change), change.media, change.file));
      if ('fault' in change) {
        log(
          'warn',
          `Job ${id}: ${partOf(change)} failed, ${change.fault.errorClass}: ${change.fault.message}`,
        );
      }
      if (isFinal(job.state)) log('info', endLine(job, (performance.now() - beganAt) / 1000));
      return job;
    },
  };
}
