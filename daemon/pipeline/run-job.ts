import { rm } from 'node:fs/promises';
import { isFinal } from '../../src/shared/states.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run, RunHandler } from '../jobs/run.js';
import { isExcluded } from '../jobs/skip-rules.js';
import { createRunLimiter, type RunLimiter } from './concurrency-limits.js';
import { deliver } from './deliver.js';
import { type DownloadedInput, download } from './download.js';
import { encode } from './encode.js';
import { extractThumbnails } from './extract-thumbnails.js';
import type { PipelineContext } from './pipeline-context.js';
import { type PlannedGroup, planJob } from './plan-job.js';
import { downloadWeight } from './progress-weights.js';
import { withLogging } from './run-log.js';
import { runStage, type Spawn, withTaskGroup } from './stages.js';

/**
 * Runs a job in stages: download, inspect, plan, then encode the outputs (together if they can share decoding) and deliver each
 * while the next ones are encoded. Each stage waits for its limit; jobs are encoded in the order in which their runs started.
 * Failures are reported as changes of the job, and a failed output does not affect the others. If the run is stopped, it ends
 * early and leaves no file and no encoder.
 */
export function createJobRunner(context: PipelineContext): RunHandler {
  let runCount = 0;
  return async (run) => {
    runCount += 1;
    const limiter = createRunLimiter(context.limits, run, runCount);
    const scratch = await context.scratch.open(run.job.id);
    let source: DownloadedInput | null = null;
    try {
      const loggedRun = withLogging(run, context.log);
      source = await download(loggedRun, context, scratch, limiter);
      if (source !== null) await runStages(loggedRun, context, { scratch, limiter, source });
    } catch (error) {
      // The caller that stopped the run has already set the state of the job.
      if (!run.signal.aborted) throw error;
    } finally {
      // The reservation ends with the job, even if its folder cannot be removed: those files already reduce the free space.
      source?.reservation.release();
      await context.scratch.close(scratch);
    }
  };
}

/** What the stages after the download need. */
interface PreparedRun {
  readonly scratch: string;
  readonly limiter: RunLimiter;
  readonly source: DownloadedInput;
}

async function runStages(run: Run, context: PipelineContext, prepared: PreparedRun): Promise<void> {
  const { source, scratch, limiter } = prepared;
  const media = await inspect(run, context, source);
  if (media === null) return;
  const outputs = await skipExcluded(run, media);
  const groups = await planJob(run, context, { media, input: source.path, scratch, outputs });
  if (groups.length === 0) return;
  await withTaskGroup(run, async (groupRun, spawn) => {
    await limiter.runExclusive('encodes', groupRun.signal, () =>
      encodeAll(groupRun, context, { ...prepared, groups }, spawn),
    );
    await rm(source.path, { force: true });
    source.reservation.markEncoded();
  });
}

/** Skips the outputs that their rules exclude for this input. Returns the others that are not final. */
async function skipExcluded(run: Run, media: MediaFacts): Promise<readonly JobOutput[]> {
  const unfinished = run.job.outputs.filter(({ state }) => !isFinal(state));
  const excluded = unfinished.filter(({ settings }) => isExcluded(settings, media));
  for (const { id } of excluded) await run.change({ type: 'output-skipped', id });
  return unfinished.filter((output) => !excluded.includes(output));
}

/** Encodes the outputs and starts the delivery of each. If disk space is short, pending deliveries must end first. */
async function encodeAll(
  run: Run,
  context: PipelineContext,
  { source, scratch, limiter, groups }: PreparedRun & { readonly groups: readonly PlannedGroup[] },
  spawn: Spawn,
): Promise<void> {
  let deliveries: Promise<unknown>[] = [];
  for (const group of groups) {
    if (deliveries.length > 0 && !(await context.space.hasSpaceFor(source.file.sizeBytes))) {
      await Promise.allSettled(deliveries);
      deliveries = [];
    }
    for await (const { output, encoded } of encode(run, context, group, scratch)) {
      const thumbnails = await extractThumbnails(run, context, { output, encoded, scratch });
      if (thumbnails === null) continue;
      spawn((taskRun) => {
        const delivery = deliver(taskRun, context, { output, encoded, thumbnails, scratch, limiter });
        deliveries.push(delivery);
        return delivery;
      });
    }
  }
}

/** Probes the input. On failure the job fails and null is returned. */
async function inspect(
  run: Run,
  context: PipelineContext,
  source: DownloadedInput,
): Promise<MediaFacts | null> {
  const overallPercent = downloadWeight(run.job.input.url) * 100;
  run.progress(run.job.input.id, { event: 'inspecting', percent: 0, overallPercent });
  const media = await runStage(
    run,
    () => context.ffmpeg.probe(source.path, run.signal),
    'UnsupportedInputError',
    (failure) => run.change({ type: 'input-failed', failure }),
  );
  if (media !== null) await run.change({ type: 'inspected', media, file: source.file });
  return media;
}
