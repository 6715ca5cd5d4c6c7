import { rename, rm } from 'node:fs/promises';
import { faultOf } from '../jobs/job-failure.js';
import type { Run } from '../jobs/run.js';
import {
  type BitrateMeasurement,
  bracketTarget,
  computeCorrectedKbps,
  isImproved,
  relativeError,
} from '../plan/corrected-rate.js';
import type { Workbench } from './pipeline-context.js';
import type { PlannedOutput } from './plan-job.js';

/** How often a bitrate is corrected at most: the third time only between two tries that missed it on either side. */
const mostCorrections = 3;

/**
 * Encodes an output again where two passes missed its `video_bitrate` by more than a tenth and telling the encoder another one can help,
 * and keeps the file that is nearest to what was asked for. The first pass is not repeated, but for an output that was made
 * together with others: its findings bear a number of that run. Progress stands meanwhile. A correction that fails leaves
 * what there was.
 */
export async function meetBitrate(
  run: Run,
  bench: Workbench,
  { output, product, steps: planned, stepsAt }: PlannedOutput,
  scratch: string,
  wasMadeTogether: boolean,
): Promise<void> {
  const { video_bitrate: askedKbps, bitrate_cap, onepass } = output.settings;
  if (askedKbps === undefined || onepass === true || product.video === null || planned.length === 0) return;
  const metWith = async (toldKbps: number): Promise<BitrateMeasurement | null> => {
    const found = await bench.ffmpeg.measureVideo(product.path, run.signal);
    run.signal.throwIfAborted();
    if (found === null) return null;
    return {
      targetKbps: askedKbps,
      encoderKbps: toldKbps,
      measuredKbps: found.kbps,
      seconds: found.seconds,
      capKbps: bitrate_cap ?? null,
    };
  };
  const kept = `${product.path}.kept`;
  let best = await metWith(askedKbps);
  let other: BitrateMeasurement | null = null;
  for (let count = 0; best !== null && count < mostCorrections; count += 1) {
    const next = computeCorrectedKbps(best, other);
    if (next === null) return;
    const steps = stepsAt(next);
    await rename(product.path, kept);
    const met = await attempted(async () => {
      for (const { args } of wasMadeTogether && count === 0 ? steps : steps.slice(-1)) {
        await bench.ffmpeg.run(args, { signal: run.signal, scratch, onProgress: () => {} });
      }
      return await metWith(next);
    });
    if (met === null || relativeError(met) >= relativeError(best)) {
      await rename(kept, product.path);
      if (met === null) return;
      other = met;
    } else {
      await rm(kept, { force: true });
      const [from, to] = [best, met].map(({ measuredKbps: foundKbps }) => Math.round(foundKbps));
      bench.log(
        'info',
        `Job ${run.job.id}: output ${output.id} was encoded again for its bitrate: ${from} became ${to} of ${askedKbps} Kbps.`,
      );
      [best, other] = [met, best];
    }
    const isWorthMore =
      bracketTarget(best, other) || (count + 2 < mostCorrections && isImproved(other, best));
    if (!isWorthMore) return;
  }

  async function attempted(
    stage: () => Promise<BitrateMeasurement | null>,
  ): Promise<BitrateMeasurement | null> {
    try {
      return await stage();
    } catch (error) {
      run.signal.throwIfAborted();
      const { message } = faultOf(error, 'TranscodingError');
      bench.log('info', `Job ${run.job.id}: output ${output.id} stays as it was first encoded: ${message}`);
      return null;
    }
  }
}
