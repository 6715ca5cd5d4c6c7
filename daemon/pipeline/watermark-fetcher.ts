import { VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { WatermarkImage } from '../plan/plan-types.js';
import { createFileFetcher } from './fetch-file.js';
import type { PipelineContext } from './pipeline-context.js';
import { runStage } from './stages.js';

/** Downloads the watermark images of an output. Each URL is downloaded once for all outputs of the job. */
export type FetchWatermarks = (run: Run, output: JobOutput) => Promise<readonly WatermarkImage[] | null>;

/**
 * Creates the fetcher of a job. If a watermark cannot be fetched, the output fails (`WatermarkError`) and null is
 * returned.
 */
export function createWatermarkFetcher(context: PipelineContext, scratch: string): FetchWatermarks {
  const fetchImage = createFileFetcher<WatermarkImage>(context, {
    scratch,
    prefix: 'watermark',
    read: (path, signal) => context.ffmpeg.probeImage(path, signal),
    toError: (url, error) => {
      const why = error instanceof Error ? error.message : String(error);
      const message = `The watermark ${withoutPassword(url)} cannot be fetched: ${why}`;
      return new VencError('WatermarkError', message, { cause: error });
    },
  });
  return (run, output) =>
    runStage(
      run,
      async () => {
        const images: WatermarkImage[] = [];
        // Without video, or with a copied one, there is nothing to overlay them on.
        const { skip_video, copy_video, watermark = [] } = output.settings;
        const requested = skip_video === true || copy_video === true ? [] : watermark;
        const credentials = output.settings.credentials ?? run.job.input.credentials;
        for (const { url } of requested) images.push(await fetchImage(run, url, credentials));
        return images;
      },
      'WatermarkError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
}
