import { withoutPassword } from '../../src/shared/redact.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import type { JobFailure } from '../jobs/job-failure.js';
import type { WatermarkImage } from '../plan/plan-types.js';
import { parseFileUrl } from '../transports/file/file-url.js';

/** The watermarks of one output, or why it cannot be made. */
export type InspectedWatermarks =
  | { readonly pictures: readonly WatermarkImage[] }
  | { readonly fault: JobFailure };

/** Finds out what the watermarks of outputs are, each address once. */
export interface WatermarkInspector {
  find(urls: readonly string[]): Promise<InspectedWatermarks>;
  /** What had to be assumed so far, one sentence each. */
  warnings(): readonly string[];
}

/** What a picture is taken for that is not looked at. */
const placeholderImage = { demuxer: 'png_pipe', width: 100, height: 100 } as const;

/**
 * The pictures of watermarks, for lines that are only shown: local ones are looked at, under their own paths. Of those elsewhere
 * nothing is fetched: each stands for a PNG of 100x100 pixels below `scratch`, and a remark says so.
 */
export function createWatermarkInspector(
  { probeImage: probePicture }: Ffmpeg,
  scratch: string,
): WatermarkInspector {
  const probed = new Map<string, Promise<WatermarkImage>>();
  const probeOnce = (path: string): Promise<WatermarkImage> => {
    const found = probed.get(path) ?? probePicture(path);
    probed.set(path, found);
    return found;
  };
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
      const pictures: WatermarkImage[] = [];
      for (const url of urls) {
        const local = parseFileUrl(url);
        if (!local.ok) {
          pictures.push(placeholderFor(url));
          continue;
        }
        try {
          pictures.push(await probeOnce(local.path));
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          const message = `The watermark ${local.path} cannot be had: ${why}`;
          return { fault: { errorClass: 'WatermarkError', message } };
        }
      }
      return { pictures };
    },
    warnings: () =>
      [...placeholders].map(([url, { path, width, height }]) => {
        const name = withoutPassword(url);
        return `the watermark ${name} was not fetched: it is taken for a PNG of ${width}x${height} pixels, ${path}`;
      }),
  };
}
