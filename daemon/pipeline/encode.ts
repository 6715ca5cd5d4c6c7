import { open, rm } from 'node:fs/promises';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { QualityRecord } from '../../src/shared/records.js';
import { currentFreezer } from '../../src/shared/util/freezer.js';
import { type EncodeOptions, isIndexTooLarge, type RunReport, readWebp } from '../ffmpeg/index.js';
import { isLocal } from '../jobs/expected-work.js';
import { type JobOutput, toJobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import type { Stage } from '../jobs/run-observer.js';
import { estimatedThumbnailCount } from '../jobs/thumbnails.js';
import type { PackagedFile } from '../packaging/write-segments.js';
import type { Product } from '../plan/plan-types.js';
import { checkQuality, writeQualityLog } from './check-quality.js';
import { correctBitrate } from './correct-bitrate.js';
import { createEncodingProgressReporter } from './encoding-progress-reporter.js';
import { contextOfOutput } from './job-context.js';
import type { PipelineContext } from './pipeline-context.js';
import { type GroupToEncode, type PlannedOutput, workOf } from './plan-job.js';
import { progressWeights } from './progress-weights.js';
import { failureInLog } from './run-log.js';
import { reachTarget, searchFactors } from './search-quality.js';
import type { SourceChanges } from './source-changes.js';
import { inStage, runStage } from './stages.js';
import { toShortClipError, verifyOutput } from './verify-output.js';

/** An encoded file in the scratch folder, and its probed facts. */
export interface EncodedFile {
  readonly product: Product;
  readonly media: MediaFacts;
  /** What the encoding revealed, one sentence each. */
  readonly warnings: readonly string[];
  /** Absent if it was not measured. */
  readonly quality?: QualityRecord;
  /** Its scores in a file; absent without `quality_log`. */
  readonly qualityLog?: PackagedFile;
}

/** What a damaged input means for an output. */
function damageWarnings({ isDamaged }: RunReport, { lossSeconds }: MediaFacts): readonly string[] {
  const reason =
    lossSeconds === undefined
      ? 'the decoder reported errors'
      : `packets are missing at ${lossSeconds.toFixed(1)} s, and perhaps later`;
  const isLost = isDamaged || lossSeconds !== undefined;
  return isLost ? [`The input is damaged: ${reason}, and parts of the video or audio may be missing.`] : [];
}

/** An output with its file. */
interface EncodedOutput {
  readonly output: JobOutput;
  readonly encoded: EncodedFile;
}

/**
 * Encodes the outputs of a group and yields each one whose file is valid, to be delivered before the next is verified.
 * If encoding them together fails, they are encoded one by one, so that one failure does not affect the others. A
 * failed output is not yielded.
 */
export async function* encode(
  run: Run,
  context: PipelineContext,
  group: GroupToEncode,
  scratch: string,
): AsyncGenerator<EncodedOutput> {
  const { latest, source } = group;
  const { members } = latest();
  for (const { output, product } of members)
    await run.change({
      ...{ type: 'output-started', id: output.id, warnings: product.warnings },
      ...(product.origins === undefined ? {} : { origins: product.origins }),
    });
  const searches = await searchFactors(run, context, group, scratch);
  const together = members.length > 1 ? await encodeTogether(run, context, group, scratch) : null;
  for (const [index, { output, product }] of members.entries()) {
    const found = searches.get(output.id);
    const outputContext = () => contextOfOutput({ ...context, ffmpeg: source.ffmpeg() }, output.id);
    /** Encodes, verifies and measures the file; `report` is that of a group in which it was encoded already. */
    const makeFile = async (report: RunReport | null) => {
      const current = () => {
        const planned = (report === null ? latest().individually : latest().members)[index];
        if (planned === undefined) throw new TypeError('the new plan lacks an output');
        return planned;
      };
      const made =
        report ??
        (await source
          .withChanges(() => runSteps(run, outputContext(), [current()], scratch))
          .catch((error: unknown) => {
            throw toShortClipError(product, error);
          }));
      const isLimited = await limitBitrate(run, outputContext(), current(), scratch);
      const sized = await correctBitrate(run, outputContext(), current(), scratch, report !== null);
      const verified = await inStage(run, { name: 'verify', outputIds: [output.id] }, () =>
        verifyEncoded(outputContext(), current(), made, run.signal),
      );
      const checked = await checkQuality(run, outputContext(), current(), verified.media, {
        ...{ scratch, source: { path: group.input, media: source.media() } },
        ...{ found, isLimited },
      });
      const added = current().product.warnings.filter((warning) => !product.warnings.includes(warning));
      const isEncoded = product.video !== null && product.video.copied === undefined;
      const isHidden = isEncoded && source.media().video?.shapes?.isOrdered === false;
      const shapeChange = made.shapeChange ?? (isHidden ? 'distorted' : undefined);
      const shape = shapeChange === undefined ? null : await source.shapeWarning(shapeChange);
      const warnings = [
        ...verified.warnings,
        ...sized,
        ...(await copiedAudioWarnings(product, source)),
        ...damageWarnings(made, source.media()),
        ...added,
        ...(shape === null ? [] : [shape]),
        ...source.warnings(),
        ...checked.warnings,
      ];
      const { warnings: _, ...measured } = checked;
      return { product, media: verified.media, warnings, isLimited, ...measured };
    };
    const encoded = await runStage(
      run,
      async () => {
        if (together instanceof VencError) throw together;
        const { perSecond, ...file } = await (found === undefined
          ? makeFile(together)
          : reachTarget({ output, product }, found, group.setFactor, (isCorrection) =>
              makeFile(isCorrection ? null : together),
            ));
        const { quality } = file;
        if (perSecond === undefined || quality === undefined) return file;
        return { ...file, qualityLog: await writeQualityLog(output, { quality, perSecond }, scratch) };
      },
      'TranscodingError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
    if (encoded !== null) yield { output, encoded };
  }
}

async function copiedAudioWarnings({ sources }: Product, source: SourceChanges): Promise<readonly string[]> {
  const copied = (sources?.audio ?? []).filter(({ isCopied }) => isCopied);
  const found = await Promise.all(copied.map((track) => source.copiedAudioWarnings(track)));
  return [...new Set(found.flat())];
}

/**
 * Encodes several outputs together. Resolves to null on failure, and to the error if each of the outputs would fail
 * with it as well. Partial files are removed, because the disk may be full.
 */
async function encodeTogether(
  run: Run,
  context: PipelineContext,
  { latest, source }: Pick<GroupToEncode, 'latest' | 'source'>,
  scratch: string,
): Promise<RunReport | VencError | null> {
  const { members } = latest();
  try {
    return await source.withChanges(() =>
      runSteps(run, { ...context, ffmpeg: source.ffmpeg() }, latest().members, scratch),
    );
  } catch (error) {
    run.signal.throwIfAborted();
    for (const { product } of members) await rm(product.path, { force: true });
    if (isVencError(error, 'InputDurationLimitError')) return error;
    const ids = members.map(({ output }) => output.id).join(', ');
    const reason = failureInLog(run.job, toJobFailure(error, 'TranscodingError'));
    context.log(
      'info',
      `Job ${run.job.id}: outputs ${ids} are encoded one by one, because encoding them together failed, ${reason}`,
    );
    return null;
  }
}

/**
 * Runs the steps that the outputs share, and reports progress for each output. Resolves to the report of the last one.
 */
async function runSteps(
  run: Run,
  context: PipelineContext,
  members: readonly PlannedOutput[],
  scratch: string,
): Promise<RunReport> {
  const steps = members[0]?.steps ?? [];
  let report = emptyReport;
  const reporters = members.map(({ output }) => ({ id: output.id, reporter: reporterOf(output, steps) }));
  const flushers = members
    .filter(({ output }) => isLocal(output.destination))
    .map(({ product }) => createFlusher(product.path));
  const stage: Stage = { name: 'encode', outputIds: members.map(({ output }) => output.id) };
  for (const step of steps) {
    const options: EncodeOptions = {
      signal: run.signal,
      scratch,
      work: workOf(step, members),
      onReport: (latest) => {
        report = { ...latest, isDamaged: latest.isDamaged || report.isDamaged };
      },
      onProgress: (progress) => {
        const now = currentFreezer().elapsedMs();
        for (const { id, reporter } of reporters) run.progress(id, reporter(step, progress, now));
        for (const flush of flushers) flush(flushedBytes);
      },
    };
    await inStage(run, stage, () =>
      context.ffmpeg.run(step.args, options).catch((error: unknown) => {
        if (step.argsWithoutReserve === undefined || !isIndexTooLarge(error)) throw error;
        context.log('info', `Job ${run.job.id}: the file is written again. ${error.message}`);
        return context.ffmpeg.run(step.argsWithoutReserve, options);
      }),
    );
  }
  // The disk writes the rest while the file is verified.
  for (const flush of flushers) flush(1);
  return report;
}

/** How many new bytes are worth a flush during the encode. */
const flushedBytes = 1 << 25;

/**
 * Returns a function that starts to write to disk what was added to a file, if it has at least so many bytes. The
 * delivery must wait until the disk has all of it: written at the end, 1 GB took half as long as its copy. Never throws;
 * the delivery reports a failed disk.
 */
function createFlusher(path: string): (minBytes: number) => void {
  let knownBytes = 0;
  let isFlushing = false;
  const flush = async (minBytes: number) => {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      if (size < knownBytes + minBytes) return;
      knownBytes = size;
      await handle.datasync();
    } finally {
      await handle.close();
    }
  };
  return (minBytes) => {
    if (isFlushing) return;
    isFlushing = true;
    void flush(minBytes)
      .catch(() => undefined)
      .finally(() => {
        isFlushing = false;
      });
  };
}

function reporterOf(
  output: JobOutput,
  steps: PlannedOutput['steps'],
): ReturnType<typeof createEncodingProgressReporter> {
  const { encode: weight, check: checkWeight, search: doneWeight } = progressWeights(output);
  const thumbnails = estimatedThumbnailCount(output.settings);
  return createEncodingProgressReporter(steps, weight, thumbnails, { checkWeight, doneWeight });
}

/** The report of no run. */
const emptyReport: RunReport = {
  ...{ isDamaged: false, hasErrors: false, isCutOff: false },
  ...{ read: new Map(), written: new Map() },
};

/** Probes and verifies an encoded file. Throws if it is not as planned. */
async function verifyEncoded(
  context: PipelineContext,
  { output: { settings }, product }: PlannedOutput,
  report: RunReport,
  signal: AbortSignal,
): Promise<{ readonly media: MediaFacts; readonly warnings: readonly string[] }> {
  let probeError: unknown = null;
  const isWebp = product.video?.codec === 'webp';
  const read = isWebp ? readWebp(product.path) : context.ffmpeg.probe(product.path, signal);
  const media = await read.catch((error: unknown) => {
    signal.throwIfAborted();
    probeError = error;
    return null;
  });
  const { failure, warnings } = verifyOutput(product, media, { report, settings });
  if (failure !== null) throw new VencError(failure.errorClass, failure.message, { cause: probeError });
  if (media === null) throw new TypeError('an unreadable file passed verification');
  return { media, warnings };
}

/** How far the average may be above `max_video_bitrate`, and how often the video is encoded again for that. */
const tolerance = 1.02;
const maxAttempts = 2;

/**
 * Encodes an output again if its quality needs more than `max_video_bitrate` on average: at that bitrate, in two passes
 * unless `onepass` is set. If the encoder exceeds it, it is given as much less. An output with a bitrate is left to
 * `correctBitrate`. Resolves to whether it was encoded again.
 */
export async function limitBitrate(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  scratch: string,
): Promise<boolean> {
  const { output, product, stepsAtBitrate } = planned;
  const { max_video_bitrate: maxKbps } = output.settings;
  if (maxKbps === undefined || product.video?.bitrate !== undefined) return false;
  if (product.video === null || product.video.copied !== undefined) return false;
  let encoderKbps = maxKbps;
  for (let attempt = 0; attempt <= maxAttempts; attempt += 1) {
    const measured = await context.ffmpeg.measureVideo(product.path, run.signal);
    run.signal.throwIfAborted();
    if (measured === null || measured.kbps <= maxKbps * tolerance || attempt === maxAttempts)
      return attempt > 0;
    if (attempt > 0) encoderKbps = Math.max(1, Math.floor((encoderKbps * maxKbps) / measured.kbps));
    context.log(
      'info',
      `Job ${run.job.id}: output ${output.id} is encoded again at ${encoderKbps} Kbps, because its quality needs ${Math.round(measured.kbps)} Kbps and max_video_bitrate is ${maxKbps}.`,
    );
    for (const step of stepsAtBitrate(encoderKbps)) {
      const work = workOf(step, [planned]);
      await inStage(run, { name: 'encode', outputIds: [output.id] }, () =>
        context.ffmpeg.run(step.args, { signal: run.signal, scratch, work, onProgress: () => {} }),
      );
    }
  }
  return true;
}
