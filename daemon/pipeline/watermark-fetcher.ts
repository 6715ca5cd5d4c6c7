import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { WatermarkImage } from '../plan/plan-types.js';
import { transportWithCredentials } from '../transports/with-credentials.js';
import type { PipelineContext } from './pipeline-context.js';
import { runStage } from './stages.js';

/** Downloads the watermark images of an output. Each URL is downloaded once for all outputs of the job. */
export type FetchWatermarks = (output: JobOutput) => Promise<readonly WatermarkImage[] | null>;

/** Creates the fetcher of a run. If a watermark cannot be fetched, the output fails (`WatermarkError`) and null is returned. */
export function createWatermarkFetcher(run: Run, context: PipelineContext, scratch: string): FetchWatermarks {
  const fetched = new Map<string, Promise<WatermarkImage>>();
  const fetchOnce = (url: string, credentials: string | undefined): Promise<WatermarkImage> => {
    const key = JSON.stringify([url, credentials]);
    const known = fetched.get(key);
    if (known !== undefined) return known;
    const path = join(scratch, `watermark-${fetched.size}`);
    const image = fetchImage(run, context, { url, credentials }, path);
    fetched.set(key, image);
    return image;
  };
  return (output) =>
    runStage(
      run,
      async () => {
        const images: WatermarkImage[] = [];
        // Without video, or with a copied one, there is nothing to overlay them on.
        const { skip_video, copy_video, watermark = [] } = output.settings;
        const requested = skip_video === true || copy_video === true ? [] : watermark;
        const credentials = output.settings.credentials ?? run.job.input.credentials;
        for (const { url } of requested) images.push(await fetchOnce(url, credentials));
        return images;
      },
      'WatermarkError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
}

async function fetchImage(
  run: Run,
  context: PipelineContext,
  { url, credentials }: { readonly url: string; readonly credentials: string | undefined },
  path: string,
): Promise<WatermarkImage> {
  try {
    const owner = { accountId: run.job.accountId, credentials };
    const transport = transportWithCredentials(context, url, owner);
    if (transport.download === undefined)
      throw new TypeError('the scheme of the watermark does not support downloads');
    await transport.download(url, path, { signal: run.signal, onProgress: () => {} });
    return await context.ffmpeg.probeImage(path, run.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    if (isVencError(error, 'OutOfSpaceError')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new VencError('WatermarkError', `The watermark ${withoutPassword(url)} cannot be fetched: ${why}`, {
      cause: error,
    });
  }
}
