import { rm } from 'node:fs/promises';
import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { isFinal } from '../../src/shared/states.js';
import { inputDurationError } from '../ffmpeg/index.js';
import { type Job, toJobFailure } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import { dependentsOf, sourceFailure, sourcesToMakeAgain } from '../jobs/output-graph.js';
import type { Run, RunHandler } from '../jobs/run.js';
import { exclusionReason } from '../jobs/skip-rules.js';
import type { SegmentTimes } from '../packaging/verify-alignment.js';
import { chooseRenditions } from './choose-renditions.js';
import { createRunLimiter, type RunLimiter } from './concurrency-limits.js';
import { type DownloadedInput, download } from './download.js';
import { encodeOutputs, planBatch, type SourceBatch } from './encode-outputs.js';
import { contextOfJob } from './job-context.js';
import type { WithEncoder } from './measure-audio.js';
import type { ContextOfRun, PipelineContext } from './pipeline-context.js';
import type { RequestedFiles } from './plan-job.js';
import type { SourceMedia } from './produced-file.js';
import { downloadWeight } from './progress-weights.js';
import { createAttachedReader } from './read-attached.js';
import { createCaptionFileReader } from './read-caption-files.js';
import { createKeyReader } from './read-key.js';
import { withLogging } from './run-log.js';
import { inStage, runStage, withTaskGroup } from './stages.js';
import { createWatermarkFetcher } from './watermark-fetcher.js';
import { createPlaylistWriter } from './write-playlists.js';

/**
 * Runs a job in stages: download, inspect, plan, then encode the outputs (together if they can share decoding) and
 * deliver each while the next ones are encoded. Outputs with a source follow the output that they are made from. Each
 * stage waits for its limit; jobs are encoded in the order in which their runs started. Failures are reported as
 * changes of the job, and a failed output does not affect the others. If the run is stopped, it ends early and leaves
 * no file and no encoder. `ownContext` gives a run what it does not share with the other runs; nothing by default.
 */
export function createJobRunner(
  shared: PipelineContext,
  ownContext: (run: Run) => ContextOfRun = () => ({}),
): RunHandler {
  let runCount = 0;
  return async (run) => {
    runCount += 1;
    const context = contextOfJob({ ...shared, ...ownContext(run) }, run.job.id);
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
      // The reservation ends with the job, even if its folder cannot be removed: those files already reduce the free
      // space.
      source?.reservation.release();
      await source?.close();
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

async function runStages(given: Run, shared: PipelineContext, prepared: PreparedRun): Promise<void> {
  const { source, scratch, limiter } = prepared;
  let current = given.job;
  const context = { ...shared, latestJob: () => current };
  const run: Run = {
    ...given,
    change: async (change) => {
      current = await given.change(change);
      return current;
    },
  };
  const inspected = await inspect(run, context, source);
  if (inspected === null) return;
  const inputs = await inspectPrograms(run, context, source.path, inspected);
  const requestedFiles: RequestedFiles = {
    fetchWatermarks: createWatermarkFetcher(context, scratch),
    readCaptionFiles: createCaptionFileReader(context, scratch),
    readKey: createKeyReader(context, scratch),
    readAttached: createAttachedReader(context, scratch),
  };
  const withEncoder: WithEncoder = (work) => limiter.runExclusive('encodes', run.signal, work);
  const job = await chooseRenditions(run, context, await skipExcluded(run, inputs), {
    ...{ media: inspected.media, input: source.path, scratch, requestedFiles, withEncoder },
  });
  const remade = sourcesToMakeAgain(job.outputs);
  const outputs = job.outputs.filter(
    ({ id, state, settings }) => (!isFinal(state) || remade.has(id)) && !isPlaylist(settings),
  );
  const sourceRun = withRemadeSources(run, remade);
  const { received } = source;
  const fromInput: SourceBatch[] = [];
  for (const [program, media] of inputs) {
    const file = {
      ...{ path: source.path, file: source.file, ...media },
      ...(received === undefined ? {} : { received }),
    };
    const batch = await planBatch(sourceRun, context, file, {
      outputs: outputs.filter(
        ({ settings }) => settings.source === undefined && programOf(settings) === program,
      ),
      scratch,
      requestedFiles,
      withEncoder,
    });
    fromInput.push(batch);
  }
  const isNeeded = fromInput.some(
    (batch) =>
      batch.groups.length > 0 ||
      batch.outputs.some(({ settings }) => isTransferOnly(settings) || isCaptions(settings)),
  );
  const segmentTimes = new Map<number, SegmentTimes>();
  const writePlaylists = createPlaylistWriter(context, { scratch, limiter, segmentTimes });
  if (isNeeded) {
    await withTaskGroup(sourceRun, async (groupRun, spawn) => {
      const inputBytes = source.file.sizeBytes;
      await limiter.runExclusive('encodes', groupRun.signal, () =>
        encodeOutputs(
          groupRun,
          context,
          fromInput,
          {
            ...{ scratch, requestedFiles, limiter, outputs, remade, inputBytes, segmentTimes },
            onDelivered: () => spawn((taskRun) => writePlaylists(taskRun, current)),
          },
          spawn,
        ),
      );
      await rm(source.path, { force: true });
      source.reservation.markEncoded();
    });
  }
  await writePlaylists(run, current);
}

/** The facts of the input by the programme that outputs name (`program`); `undefined` is the default one. */
type Inputs = ReadonlyMap<string | undefined, SourceMedia>;

/** The programme of the input that an output names; an output with a source has none. */
function programOf({ program, source }: OutputSettings): string | undefined {
  return source === undefined ? program : undefined;
}

/** Probes the input for each programme that outputs name. A programme that it lacks fails its outputs. */
async function inspectPrograms(
  run: Run,
  { ffmpeg }: PipelineContext,
  path: string,
  inspected: SourceMedia,
): Promise<Inputs> {
  const inputs = new Map<string | undefined, SourceMedia>([[undefined, inspected]]);
  for (const { settings } of run.job.outputs) {
    const program = programOf(settings);
    if (inputs.has(program)) continue;
    try {
      if (inspected.media === null) inputs.set(program, inspected);
      else inputs.set(program, { media: await ffmpeg.probe(path, run.signal, program) });
    } catch (error) {
      run.signal.throwIfAborted();
      inputs.set(program, { media: null, failure: toJobFailure(error, 'UnsupportedInputError') });
    }
  }
  return inputs;
}

/** Skips the outputs that their rules exclude for this input, and returns the job. */
async function skipExcluded(run: Run, inputs: Inputs): Promise<Job> {
  let { job } = run;
  for (const { id, settings } of run.job.outputs) {
    // An output is also skipped because its source is.
    const isUnfinished = job.outputs.some((output) => output.id === id && !isFinal(output.state));
    const media = inputs.get(programOf(settings))?.media ?? null;
    const reason = isUnfinished ? exclusionReason(settings, media) : null;
    if (reason !== null) job = await run.change({ type: 'output-skipped', id, reason });
  }
  return job;
}

/**
 * Probes the input. On failure the job fails and null is returned, unless the input itself is an output
 * (`transfer-only`): it is delivered whatever it is, and only the outputs that are encoded fail.
 */
async function inspect(
  run: Run,
  context: PipelineContext,
  source: DownloadedInput,
): Promise<SourceMedia | null> {
  const overallPercent = downloadWeight(run.job.input.url) * 100;
  run.progress(run.job.input.id, { event: 'inspecting', percent: 0, overallPercent });
  const fallback = 'UnsupportedInputError';
  // Ended outputs count as well, so that a resubmit gives the same states.
  const isTransferred = run.job.outputs.some(
    ({ settings }) => settings.source === undefined && isTransferOnly(settings),
  );
  const inspected = await runStage(
    run,
    async (): Promise<SourceMedia> => {
      try {
        const media = await inStage(run, { name: 'inspect' }, () =>
          context.ffmpeg.probe(source.path, run.signal),
        );
        const { limits } = context.ffmpeg;
        const { durationSeconds } = media;
        if (durationSeconds !== null && durationSeconds > (limits.maxInputSeconds ?? Infinity))
          throw inputDurationError(limits, durationSeconds);
        return { media };
      } catch (error) {
        run.signal.throwIfAborted();
        if (!isTransferred) throw error;
        return { media: null, failure: toJobFailure(error, fallback) };
      }
    },
    fallback,
    (failure) => run.change({ type: 'input-failed', failure }),
  );
  if (inspected !== null) await run.change({ type: 'inspected', media: inspected.media, file: source.file });
  return inspected;
}

/**
 * Wraps a run in which outputs that have ended are made again, only as sources. Their own state does not change; if one
 * fails, the outputs that wait for it have no input.
 */
function withRemadeSources(run: Run, ids: ReadonlySet<number>): Run {
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
