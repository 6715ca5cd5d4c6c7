import type { OutputSettings } from '../../src/shared/settings/index.js';

/** The URLs of the files that an output needs besides the input: watermarks, captions and a key. */
export function sourceUrlsOf({
  watermark = [],
  caption_url: captions = [],
  encryption_key_url: key,
}: OutputSettings): readonly string[] {
  return [...[...watermark, ...captions].map(({ url }) => url), ...(key === undefined ? [] : [key])];
}
