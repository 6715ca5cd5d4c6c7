import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { isFinal } from '../../src/shared/states.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { dependentsOf } from '../jobs/output-graph.js';
import type { Run } from '../jobs/run.js';
import { savingReason } from '../jobs/skip-rules.js';
import type { SegmentTimes } from '../packaging/verify-alignment.js';
import { captionOutputs } from './caption-outputs.js';
import type { RunLimiter } from './concurrency-limits.js';
import { deliver } from './deliver.js';
import { type EncodedFile, encode } from './encode.js';
import { extractThumbnails, filesByDestination } from './extract-thumbnails.js';
import { contextOfOutput } from './job-context.js';
import type { WithEncoder } from './measure-audio.js';
import { packageOutput } from './package-output.js';
import { latestJob, type PipelineContext } from './pipeline-context.js';
import { type GroupToEncode, planJob, type RequestedFiles } from './plan-job.js';
import { linkAs, type ProducedFile, type SourceFile, transferOutputs } from './produced-file.js';
import { requireFreePlaces } from './replacement-guard.js';
import { inStage, runStage, type Spawn } from './stages.js';

/** Outputs that are made from the same file. */
export interface SourceBatch {
  readonly source: SourceFile;
  /** The outputs that are only transferred, and those that are encoded. */
  readonly outputs: readonly JobOutput[];
  /** The plan of those that are encoded. */
  readonly groups: readonly GroupToEncode[];
}

/** What encoding needs besides the batch of the input. */
interface OutputsToEncode {
  readonly scratch: string;
  readonly requestedFiles: RequestedFiles;
  readonly limiter: RunLimiter;
  /** The outputs to make. Those in `remade` are made only as sources of others, and not delivered. */
  readonly outputs: readonly JobOutput[];
  readonly remade: ReadonlySet<number>;
  /** The size of the input. */
  readonly inputBytes: number;
  /** Receives when the segments of each output begin. */
  readonly segmentTimes: Map<number, SegmentTimes>;
  /** Called when the delivery of an output has ended. */
  readonly onDelivered: () => void;
}

/** Plans the outputs that are made from a file. Those that cannot be encoded from it fail, and are not planned. */
export async function planBatch(
  run: Run,
  context: PipelineContext,
  source: SourceFile,
  options: {
    readonly outputs: readonly JobOutput[];
    readonly scratch: string;
    readonly requestedFiles: RequestedFiles;
    readonly withEncoder: WithEncoder;
  },
): Promise<SourceBatch> {
  const outputs = await withFreePlaces(run, context, options.outputs);
  if (source.media !== null) {
    const inspected = { media: source.media, input: source.path, ...options, outputs };
    const outputIds = outputs.map(({ id }) => id);
    const groups = await inStage(run, { name: 'plan', outputIds }, () => planJob(run, context, inspected));
    return { source, outputs, groups };
  }
  for (const { id } of outputs.filter(({ settings }) => !isTransferOnly(settings)))
    await run.change({ type: 'output-failed', id, failure: source.failure });
  return { source, outputs, groups: [] };
}

/** The outputs that no file on this machine is in the way of. The others fail now, not after their encode. */
async function withFreePlaces(
  run: Run,
  context: PipelineContext,
  outputs: readonly JobOutput[],
): Promise<readonly JobOutput[]> {
  const kept: JobOutput[] = [];
  for (const output of outputs) {
    const { id, state } = output;
    const checked = await runStage(
      run,
      async () => {
        // An output that has ended is made again only as the source of others.
        if (isFinal(state)) return output;
        const { checkPlaces = (one) => requireFreePlaces(latestJob(run, context), one) } = context;
        await checkPlaces(output);
        return output;
      },
      'UploadFailureError',
      (failure) => run.change({ type: 'output-failed', id, failure }),
    );
    if (checked !== null) kept.push(checked);
  }
  return kept;
}

/**
 * Makes the outputs of the batches of the input, and then those that have one of them as their source, and starts the
 * delivery of each. If disk space is short, pending deliveries must end first.
 */
export async function encodeOutputs(
  run: Run,
  context: PipelineContext,
  fromInput: readonly SourceBatch[],
  {
    scratch,
    requestedFiles,
    limiter,
    outputs,
    remade,
    inputBytes,
    segmentTimes,
    onDelivered,
  }: OutputsToEncode,
  spawn: Spawn,
): Promise<void> {
  let deliveries: Promise<unknown>[] = [];
  const destinations = filesByDestination(run.job.outputs);
  const awaitSpace = async () => {
    if (deliveries.length === 0 || (await context.space.hasSpaceFor(inputBytes))) return;
    await Promise.allSettled(deliveries);
    deliveries = [];
  };
  const startDelivery = async (made: MadeFile, source: MediaFacts | null) => {
    const { output, encoded, video } = made;
    const outputContext = contextOfOutput(context, output.id);
    const extracted =
      video === null
        ? { thumbnails: [], warnings: [] }
        : await extractThumbnails(run, outputContext, {
            output,
            encoded: video,
            source,
            scratch,
            destinations,
          });
    if (extracted === null) return;
    const packaged =
      video === null
        ? { file: encoded, times: null, warnings: [] }
        : await packageOutput(run, outputContext, {
            output,
            encoded: video,
            source,
            scratch,
            ...requestedFiles,
          });
    if (packaged === null) return;
    if (packaged.times !== null) segmentTimes.set(output.id, packaged.times);
    const warnings = [...made.warnings, ...extracted.warnings, ...packaged.warnings];
    spawn((taskRun) => {
      const { thumbnails } = extracted;
      const delivery = deliver(taskRun, outputContext, {
        output,
        encoded: {
          ...packaged.file,
          ...(video?.qualityLog === undefined ? {} : { qualityLog: video.qualityLog }),
        },
        thumbnails,
        warnings,
        ...(video?.quality === undefined ? {} : { quality: video.quality }),
        scratch,
        limiter,
      });
      deliveries.push(delivery);
      return delivery.then(onDelivered);
    });
  };
  // This job encodes already.
  const withEncoder: WithEncoder = (work) => work();
  // Grows while it is processed: the file of an output is the source of others.
  const queue: (() => Promise<SourceBatch>)[] = fromInput.map((batch) => async () => batch);
  for (const next of queue) {
    const batch = await next();
    for await (const made of makeFiles(run, context, batch, { scratch, requestedFiles, awaitSpace })) {
      const { output, encoded, video } = made;
      if (video !== null && !remade.has(output.id)) {
        const { path } = encoded.product;
        const reason = savingReason(output.settings, (await stat(path)).size, inputBytes);
        if (reason !== null) {
          await run.change({ type: 'output-skipped', id: output.id, reason });
          await rm(path, { force: true });
          continue;
        }
      }
      const dependents = dependentsOf(outputs, output);
      if (dependents.length > 0) {
        const path = join(scratch, `source-${output.id}`);
        // A file without facts was transferred from the file of the batch.
        const media = encoded.media === null ? batch.source : { media: encoded.media };
        const source: SourceFile = { ...media, path, file: encoded.file };
        await linkAs(encoded.product.path, source.path);
        for (const { id, state } of dependents) {
          if (!isFinal(state)) await run.change({ type: 'output-queued', id });
        }
        const options = { outputs: dependents, scratch, requestedFiles, withEncoder };
        queue.push(() => planBatch(run, context, source, options));
      }
      if (remade.has(output.id)) await rm(encoded.product.path, { force: true });
      else await startDelivery(made, batch.source.media);
    }
    if (!fromInput.includes(batch)) await rm(batch.source.path, { force: true });
  }
}

/** The file of an output. */
interface MadeFile {
  readonly output: JobOutput;
  readonly encoded: ProducedFile;
  /** The same file, if thumbnails may be taken from it; null if it is only transferred. */
  readonly video: EncodedFile | null;
  /** What was changed or left out, one sentence each. */
  readonly warnings: readonly string[];
}

/** Yields the file of each output of a batch: first those that are only transferred, because that is fast. */
async function* makeFiles(
  run: Run,
  context: PipelineContext,
  { source, outputs, groups }: SourceBatch,
  {
    scratch,
    requestedFiles: { readCaptionFiles },
    awaitSpace,
  }: Pick<OutputsToEncode, 'scratch' | 'requestedFiles'> & { readonly awaitSpace: () => Promise<void> },
): AsyncGenerator<MadeFile> {
  for await (const one of transferOutputs(run, source, outputs, scratch))
    yield { ...one, video: null, warnings: [] };
  for await (const one of captionOutputs(run, context, source, { outputs, scratch, readCaptionFiles }))
    yield { ...one, video: null };
  for (const group of groups) {
    await awaitSpace();
    for await (const { output, encoded: video } of encode(run, context, group, scratch))
      yield { output, encoded: { ...video, file: null }, video, warnings: video.warnings };
  }
}
