import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import type { DownloadedInput } from './download.js';
import type { PipelineContext } from './pipeline-context.js';
import { downloadWeight } from './progress-weights.js';
import { runStage } from './run-stage.js';

/** Finds out what the input is. On failure the job is failed and null given back. */
export async function inspect(
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
