import { VencError } from '../../src/api/errors.js';
import type { EncodeProgress } from '../ffmpeg/ffmpeg-types.js';
import type { MediaFacts } from '../jobs/media.js';
import type { FileProgress } from '../jobs/progress.js';
import type { Product, Step } from '../plan/plan-types.js';
import type { Run } from '../queue/job-queue.js';
import { attempt } from './attempt.js';
import type { PlannedOutput } from './plan-job.js';
import type { Workbench } from './workbench.js';

/** An encoded file in the scratch folder and what it was found to be. */
export interface Encoded {
  readonly product: Product;
  readonly media: MediaFacts;
}

/** Share of encoding in the work for an output; the rest is delivering. */
export const encodeShare = 0.95;

/**
 * Runs the steps of one output and looks at the file they left. On failure the output is failed and null given back.
 */
export function encode(
  run: Run,
  bench: Workbench,
  task: PlannedOutput & { readonly scratch: string },
): Promise<Encoded | null> {
  const { output, steps, product, scratch } = task;
  return attempt(
    run,
    async () => {
      await run.change({ type: 'output-started', id: output.id });
      let doneShare = 0;
      for (const step of steps) {
        const before = doneShare;
        await bench.ffmpeg.run(step.args, {
          signal: run.signal,
          scratch,
          onProgress: (progress) => run.progress(output.id, transcoding(steps, step, before, progress)),
        });
        doneShare += step.share;
      }
      return { product, media: await checked(bench, product, run.signal) };
    },
    'TranscodingError',
    (fault) => run.change({ type: 'output-failed', id: output.id, fault }),
  );
}

/** A file is delivered only when it holds the streams that it should, and lasts as long. */
async function checked(bench: Workbench, product: Product, signal: AbortSignal): Promise<MediaFacts> {
  const media = await bench.ffmpeg.probe(product.path, signal).catch((error) => {
    signal.throwIfAborted();
    throw new VencError('TranscodingError', 'The encoder left a file that cannot be read.', { cause: error });
  });
  const missing = [
    ...(product.hasVideo && media.video === null ? ['picture'] : []),
    ...(product.hasAudio && media.audio === null ? ['sound'] : []),
  ];
  if (missing.length > 0) {
    throw new VencError('TranscodingError', `The encoder left a file without ${missing.join(' and ')}.`);
  }
  const { expectedSeconds } = product;
  const foundSeconds = media.durationSeconds;
  if (expectedSeconds !== null && foundSeconds !== null && foundSeconds < leastSeconds(expectedSeconds)) {
    const lengths = `${foundSeconds.toFixed(1)} of ${expectedSeconds.toFixed(1)} seconds`;
    throw new VencError(
      'TranscodingError',
      `Only ${lengths} could be encoded: the input is cut short or damaged.`,
    );
  }
  return media;
}

/**
 * The shortest that a file may be where a length was expected. A file that was cut off tells its full length all the same, and ffmpeg
 * encodes what there is of it and reports success.
 */
function leastSeconds(expectedSeconds: number): number {
  return expectedSeconds - Math.max(1, expectedSeconds * 0.05);
}

function transcoding(
  steps: readonly Step[],
  step: Step,
  doneShare: number,
  progress: EncodeProgress,
): FileProgress {
  const total = step.durationSeconds;
  const ofStep = total === null || total <= 0 ? 0 : Math.min(1, progress.seconds / total);
  const share = doneShare + step.share * ofStep;
  const secondsLeft = total === null ? null : secondsToGo(steps, step, total, progress);
  return {
    event: 'transcoding',
    percent: share * 100,
    overallPercent: share * 100 * encodeShare,
    ...(progress.fps === null ? {} : { fps: progress.fps }),
    ...(progress.speed === null ? {} : { speed: progress.speed }),
    ...(secondsLeft === null ? {} : { eta_in_ms: Math.round(secondsLeft * 1000) }),
  };
}

/** What is left of this step at its present speed, and of the later ones as their shares are to this one's. */
function secondsToGo(
  steps: readonly Step[],
  step: Step,
  total: number,
  progress: EncodeProgress,
): number | null {
  if (progress.speed === null || progress.speed <= 0) return null;
  const wholeStep = total / progress.speed;
  const later = steps.slice(steps.indexOf(step) + 1).reduce((sum, next) => sum + next.share, 0);
  return Math.max(0, total - progress.seconds) / progress.speed + (wholeStep * later) / step.share;
}
