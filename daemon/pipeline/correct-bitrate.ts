import { rename, rm, stat } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { toJobFailure } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import {
  type BitrateMeasurement,
  bracketTarget,
  computeCorrectedKbps,
  isImproved,
  rateForSize,
  relativeError,
} from '../plan/corrected-rate.js';
import { nameInSentence } from '../plan/device-profiles.js';
import type { PipelineContext } from './pipeline-context.js';
import { type PlannedOutput, workOf } from './plan-job.js';
import { inStage } from './stages.js';

/** Maximum corrections of a bitrate. The third happens only between two attempts above and below the target. */
const maxCorrections = 3;
/** Maximum corrections of a size, which must be met more closely. */
const maxSizeCorrections = 5;
/** A file below this part of its `target_size` gets a warning. */
const minFilled = 0.98;

/**
 * Corrects the bitrate of an output (`approachBitrate`), and checks its `target_size`: rejects if the file is larger,
 * and returns a warning if it is much smaller.
 */
export async function correctBitrate(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  scratch: string,
  wasEncodedTogether: boolean,
): Promise<readonly string[]> {
  await approachBitrate(run, context, planned, scratch, wasEncodedTogether);
  const { output, product } = planned;
  const { targetBytes } = product.video?.bitrate ?? {};
  if (targetBytes === undefined) return [];
  const { size } = await stat(product.path);
  const name = nameInSentence(output.settings, 'target_size');
  if (size > targetBytes)
    throw new VencError(
      'InvalidVideoSettingsError',
      `${name} is ${targetBytes} bytes, and the smallest file that the encoder made has ${size}. A smaller width, height or frame_rate helps.`,
    );
  return size >= targetBytes * minFilled
    ? []
    : [
        `The file has ${size} bytes of the ${targetBytes} of ${name}: the encoder uses no more for this video.`,
      ];
}

/**
 * Encodes an output again if two passes missed its `video_bitrate` by more than a tenth, or any encode its
 * `target_size`, and another encoder bitrate can help. Keeps the file that is closest to the target. The first pass is
 * not repeated, except for an output that was encoded in a group, because the names of its logs contain a number of
 * that run. Progress is not updated meanwhile. If a correction fails, the previous file is kept.
 */
async function approachBitrate(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  scratch: string,
  wasEncodedTogether: boolean,
): Promise<void> {
  const { output, product, steps: plannedSteps, stepsAtBitrate } = planned;
  const bitrate = product.video?.bitrate;
  if (bitrate === undefined || plannedSteps.length === 0) return;
  const { targetKbps, capKbps, targetBytes } = bitrate;
  if (targetBytes === undefined && output.settings.onepass === true) return;
  const attempts = targetBytes === undefined ? maxCorrections : maxSizeCorrections;
  const measureRate = async (requestedKbps: number): Promise<BitrateMeasurement | null> => {
    const found = await context.ffmpeg.measureVideo(product.path, run.signal);
    run.signal.throwIfAborted();
    if (found === null) return null;
    return {
      targetKbps,
      encoderKbps: requestedKbps,
      measuredKbps: found.kbps,
      seconds: found.seconds,
      capKbps,
      ...(targetBytes === undefined ? {} : rateForSize(targetBytes, (await stat(product.path)).size, found)),
    };
  };
  const backupPath = `${product.path}.kept`;
  let best = await measureRate(targetKbps);
  let other: BitrateMeasurement | null = null;
  for (let count = 0; best !== null && count < attempts; count += 1) {
    const next = computeCorrectedKbps(best, other);
    if (next === null) return;
    const steps = stepsAtBitrate(next);
    await rename(product.path, backupPath);
    const measured = await tryStage(async () => {
      for (const step of wasEncodedTogether && count === 0 ? steps : steps.slice(-1)) {
        const work = workOf(step, [planned]);
        await inStage(run, { name: 'encode', outputIds: [output.id] }, () =>
          context.ffmpeg.run(step.args, { signal: run.signal, scratch, work, onProgress: () => {} }),
        );
      }
      return await measureRate(next);
    });
    if (measured === null || relativeError(measured) >= relativeError(best)) {
      await rename(backupPath, product.path);
      if (measured === null) return;
      other = measured;
    } else {
      await rm(backupPath, { force: true });
      const [from, to] = [best, measured].map(({ measuredKbps: foundKbps }) => Math.round(foundKbps));
      context.log(
        'info',
        `Job ${run.job.id}: output ${output.id} was encoded again to meet its bitrate of ${targetKbps} Kbps: ${from} Kbps before, ${to} Kbps now.`,
      );
      [best, other] = [measured, best];
    }
    const shouldContinue = bracketTarget(best, other) || (count + 2 < attempts && isImproved(other, best));
    if (!shouldContinue) return;
  }

  async function tryStage(
    stage: () => Promise<BitrateMeasurement | null>,
  ): Promise<BitrateMeasurement | null> {
    try {
      return await stage();
    } catch (error) {
      run.signal.throwIfAborted();
      const { message } = toJobFailure(error, 'TranscodingError');
      context.log(
        'info',
        `Job ${run.job.id}: output ${output.id} keeps its first encoding, because the correction of its bitrate failed: ${message}`,
      );
      return null;
    }
  }
}
