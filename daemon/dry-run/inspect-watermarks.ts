import { withoutPassword } from '../../src/shared/redact.js';
import { createOnce } from '../../src/shared/util/collections.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import type { JobFailure } from '../jobs/job.js';
import type { WatermarkImage } from '../plan/plan-types.js';
import { parseFileUrl } from '../transports/file/file-url.js';

/** The watermarks of one output, or why the output cannot be made. */
type InspectedWatermarks = { readonly images: readonly WatermarkImage[] } | { readonly failure: JobFailure };

/** Inspects the watermarks of outputs, each URL once. */
interface WatermarkInspector {
  find(urls: readonly string[]): Promise<InspectedWatermarks>;
  /** The assumptions so far, one sentence each. */
  warnings(): readonly string[];
}

/** Assumed for an image that is not inspected. */
const placeholderImage = { demuxer: 'png_pipe', width: 100, height: 100 } as const;

/**
 * Inspects watermark images for command lines that are only shown. Local images are probed and keep their
 * paths. Remote ones are not fetched: each is assumed to be a PNG of 100x100 pixels in `scratch`, with a
 * warning. So are local ones without an ffmpeg to read them with.
 */
export function createWatermarkInspector(
  ffmpeg: Pick<Ffmpeg, 'probeImage'> | null,
  scratch: string,
): WatermarkInspector {
  const once = createOnce<WatermarkImage>();
  const placeholders = new Map<string, WatermarkImage>();
  const placeholderFor = (url: string): WatermarkImage => {
    const known = placeholders.get(url);
    if (known !== undefined) return known;
    const image = { ...placeholderImage, path: `${scratch}/watermark-${placeholders.size + 1}.png` };
    placeholders.set(url, image);
    return image;
  };
  return {
    async find(urls) {
      const images: WatermarkImage[] = [];
      for (const url of urls) {
        const local = parseFileUrl(url);
        if (!local.ok || ffmpeg === null) {
          images.push(placeholderFor(url));
          continue;
        }
        try {
          images.push(await once(local.path, () => ffmpeg.probeImage(local.path)));
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          const message = `The watermark ${local.path} cannot be read: ${why}`;
          return { failure: { errorClass: 'WatermarkError', message } };
        }
      }
      return { images };
    },
    warnings: () =>
      [...placeholders].map(([url, { path, width, height }]) => {
        const name = withoutPassword(url);
        return `the watermark ${name} was not fetched and is assumed to be a PNG of ${width}x${height} pixels, ${path}`;
      }),
  };
}
