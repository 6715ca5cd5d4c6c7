import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import type { Source } from './download.js';
import type { Workbench } from './pipeline-context.js';
import { downloadShareOf } from './progress-weights.js';
import { attempt } from './run-stage.js';

/** Finds out what the input is. On failure the job is failed and null given back. */
export async function inspect(run: Run, bench: Workbench, source: Source): Promise<MediaFacts | null> {
  const overallPercent = downloadShareOf(run.job.input.url) * 100;
  run.progress(run.job.input.id, { event: 'inspecting', percent: 0, overallPercent });
  const media = await attempt(
    run,
    () => bench.ffmpeg.probe(source.path, run.signal),
    'UnsupportedInputError',
    (fault) => run.change({ type: 'input-failed', fault }),
  );
  if (media !== null) await run.change({ type: 'inspected', media, file: source.file });
  return media;
}
