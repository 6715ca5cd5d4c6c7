import type { OutputSettings } from '../../src/shared/settings/index.js';
import { coverUrlOf } from '../../src/shared/settings/sources.js';
import type { Job } from './job.js';

/** The URLs of the files that an output needs besides the input: watermarks, captions, a cover image and a key. */
export function sourceUrlsOf(settings: OutputSettings): readonly string[] {
  const { watermark = [], caption_url: captions = [], encryption_key_url: key } = settings;
  const cover = coverUrlOf(settings);
  return [
    ...[...watermark, ...captions].map(({ url }) => url),
    ...(cover === null ? [] : [cover]),
    ...(key === undefined ? [] : [key]),
  ];
}

/** The URLs of all files that a job reads: its input, and what its outputs need besides it. */
export function readUrlsOf({ input, outputs }: Pick<Job, 'input' | 'outputs'>): readonly string[] {
  return [input.url, ...outputs.flatMap(({ settings }) => sourceUrlsOf(settings))];
}
