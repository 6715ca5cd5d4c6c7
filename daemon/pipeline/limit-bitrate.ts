import type { Run } from '../jobs/run.js';
import type { PipelineContext } from './pipeline-context.js';
import { type PlannedOutput, workOf } from './plan-job.js';
import { inStage } from './stages.js';

/** How far the average may be above `max_video_bitrate`, and how often the video is encoded again for that. */
const tolerance = 1.02;
const maxAttempts = 2;

/**
 * Encodes an output again if its quality needs more than `max_video_bitrate` on average: at that bitrate, in two passes unless `onepass`
 * is set. If the encoder exceeds it, it is given as much less. An output with a `video_bitrate` is left to `correctBitrate`.
 */
export async function limitBitrate(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  scratch: string,
): Promise<void> {
  const { output, product, stepsAtBitrate } = planned;
  const { max_video_bitrate: maxKbps, video_bitrate } = output.settings;
  if (maxKbps === undefined || video_bitrate !== undefined) return;
  if (product.video === null || product.video.isCopied === true) return;
  let encoderKbps = maxKbps;
  for (let attempt = 0; attempt <= maxAttempts; attempt += 1) {
    const measured = await context.ffmpeg.measureVideo(product.path, run.signal);
    run.signal.throwIfAborted();
    if (measured === null || measured.kbps <= maxKbps * tolerance || attempt === maxAttempts) return;
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
}
