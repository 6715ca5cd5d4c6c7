import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { WatermarkImage } from '../plan/plan-types.js';
import { transportFor } from '../transports/registry.js';
import type { Workbench } from './pipeline-context.js';
import { attempt } from './run-stage.js';

/** Brings the watermarks of a job's outputs to this machine, each address once, however many outputs name it. */
export type FetchWatermarks = (output: JobOutput) => Promise<readonly WatermarkImage[] | null>;

/** The fetching for one run. An output whose watermark cannot be had is failed (`WatermarkError`), and null given back for it. */
export function watermarkFetcher(run: Run, bench: Workbench, scratch: string): FetchWatermarks {
  const fetched = new Map<string, Promise<WatermarkImage>>();
  const fetchOnce = (url: string): Promise<WatermarkImage> => {
    const known = fetched.get(url);
    if (known !== undefined) return known;
    const path = join(scratch, `watermark-${fetched.size}`);
    const picture = fetchPicture(run, bench, url, path);
    fetched.set(url, picture);
    return picture;
  };
  return (output) =>
    attempt(
      run,
      async () => {
        const pictures: WatermarkImage[] = [];
        // Without a picture there is nothing that they could lie on.
        const wanted = output.settings.skip_video === true ? [] : (output.settings.watermark ?? []);
        for (const { url } of wanted) pictures.push(await fetchOnce(url));
        return pictures;
      },
      'WatermarkError',
      (fault) => run.change({ type: 'output-failed', id: output.id, fault }),
    );
}

async function fetchPicture(run: Run, bench: Workbench, url: string, path: string): Promise<WatermarkImage> {
  try {
    const transport = transportFor(bench.transports, url);
    if (transport.download === undefined)
      throw new TypeError('the scheme of the watermark takes no downloads');
    await transport.download(url, path, { signal: run.signal, onProgress: () => {} });
    return await bench.ffmpeg.probeImage(path, run.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    if (isVencError(error, 'OutOfSpaceError')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new VencError('WatermarkError', `The watermark ${withoutPassword(url)} cannot be had: ${why}`, {
      cause: error,
    });
  }
}
