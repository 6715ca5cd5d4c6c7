import { withoutPassword } from '../../src/shared/redact.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import type { Fault } from '../jobs/job-failure.js';
import type { WatermarkImage } from '../plan/plan-types.js';
import { parseFileUrl } from '../transports/file/file-url.js';

/** The watermarks of one output, or why it cannot be made. */
export type FoundWatermarks = { readonly pictures: readonly WatermarkImage[] } | { readonly fault: Fault };

/** Finds out what the watermarks of outputs are, each address once. */
export interface WatermarkFinder {
  find(urls: readonly string[]): Promise<FoundWatermarks>;
  /** What had to be assumed so far, one sentence each. */
  remarks(): readonly string[];
}

/** What a picture is taken for that is not looked at. */
const assumed = { demuxer: 'png_pipe', width: 100, height: 100 } as const;

/**
 * The pictures of watermarks, for lines that are only shown: local ones are looked at, under their own paths. Of those elsewhere
 * nothing is fetched: each stands for a PNG of 100x100 pixels below `scratch`, and a remark says so.
 */
export function watermarkFinder({ probeImage: probePicture }: Ffmpeg, scratch: string): WatermarkFinder {
  const looked = new Map<string, Promise<WatermarkImage>>();
  const look = (path: string): Promise<WatermarkImage> => {
    const found = looked.get(path) ?? probePicture(path);
    looked.set(path, found);
    return found;
  };
  const elsewhere = new Map<string, WatermarkImage>();
  const standIn = (url: string): WatermarkImage => {
    const known = elsewhere.get(url);
    if (known !== undefined) return known;
    const picture = { ...assumed, path: `${scratch}/watermark-${elsewhere.size + 1}.png` };
    elsewhere.set(url, picture);
    return picture;
  };
  return {
    async find(urls) {
      const pictures: WatermarkImage[] = [];
      for (const url of urls) {
        const local = parseFileUrl(url);
        if (!local.ok) {
          pictures.push(standIn(url));
          continue;
        }
        try {
          pictures.push(await look(local.path));
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          const message = `The watermark ${local.path} cannot be had: ${why}`;
          return { fault: { errorClass: 'WatermarkError', message } };
        }
      }
      return { pictures };
    },
    remarks: () =>
      [...elsewhere].map(([url, { path, width, height }]) => {
        const name = withoutPassword(url);
        return `the watermark ${name} was not fetched: it is taken for a PNG of ${width}x${height} pixels, ${path}`;
      }),
  };
}
