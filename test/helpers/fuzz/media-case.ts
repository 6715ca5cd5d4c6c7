import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Choices } from './choices.js';
import { createChoices } from './choices.js';
import type { Fields } from './generate-request.js';
import type { MediaKind } from './media-kinds.js';
import { mutateMedia } from './mutate-media.js';

/** Outputs that use different parts of the daemon. */
const outputs: readonly Fields[] = [
  ...[
    {},
    { width: 32, height: 32, aspect_mode: 'pad' },
    { start_clip: 0.2, clip_length: 0.5 },
    { thumbnails: { number: 2 } },
  ],
  ...[
    { format: 'webm' },
    { format: 'mp3' },
    { format: 'mkv' },
    { skip_video: true, audio_normalize: true, format: 'm4a' },
  ],
  ...[
    { copy_video: true, copy_audio: true },
    { copy_video: 'auto', copy_audio: 'auto', format: 'mkv' },
    { type: 'captions' },
  ],
  ...[
    { type: 'segmented', segment_seconds: 2 },
    { type: 'segmented', packaging: 'cmaf', segment_seconds: 2 },
  ],
  ...[
    { format: 'm4f' },
    { type: 'segmented', format: 'aac', segment_seconds: 2 },
    { copy_video: true, type: 'segmented' },
  ],
  ...[
    { frame_rate: 10, deinterlace: 'on' },
    { video_bitrate: 100, audio_bitrate: 32 },
    { rotate: 90, upscale: true, width: 128 },
  ],
];

/** A mutated file, and the request that uses it. */
export interface MediaCase {
  /** The kind, the seed and the changes, which make it again. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly request: Fields;
}

/** The case of a seed: the file of one kind, changed, and a request. Its files are written to a folder, from which the daemon reads them. */
export async function createMediaCase(
  seed: number,
  kinds: readonly MediaKind[],
  folder: string,
): Promise<MediaCase> {
  const choices = createChoices(seed);
  const kind = choices.pick(kinds);
  const { bytes, changes } = mutateMedia(kind.bytes, choices, choices.pick(kinds).bytes);
  const path = join(folder, `case-${seed}-${kind.name}`);
  await writeFile(path, bytes);
  const request = requestFor(
    kind,
    pathToFileURL(path).href,
    pathToFileURL(join(folder, 'a.mp4')).href,
    choices,
  );
  return { name: `${kind.name}, seed ${seed}, ${changes.join('+')}`, bytes, request };
}

function requestFor(kind: MediaKind, url: string, film: string, choices: Choices): Fields {
  const common = { speed: 5, ...(choices.chance(0.5) ? { strict: false } : {}) };
  if (kind.use === 'watermark')
    return {
      input: film,
      outputs: [{ ...common, watermarks: [{ url }, { url, width: '50%', opacity: 0.5 }] }],
    };
  if (kind.use === 'captions') {
    const own = choices.pick<Fields>([
      ...[
        {},
        { format: 'mkv' },
        { subtitles: 'burn' },
        { subtitles: 'sidecar' },
        { type: 'captions', format: 'srt' },
      ],
      ...[
        { type: 'captions', format: 'scc' },
        { type: 'segmented', segment_seconds: 2 },
        { type: 'captions', format: 'm3u8' },
      ],
    ]);
    return { input: film, outputs: [{ ...common, ...own, caption_url: url }] };
  }
  const chosen = choices.sample(outputs, choices.integer(1, 2));
  return {
    input: url,
    ...(choices.chance(0.5) ? { test: true } : {}),
    outputs: chosen.map((one) => ({ ...common, ...one })),
  };
}
