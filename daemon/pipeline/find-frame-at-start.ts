import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import type { MediaFacts } from '../jobs/media.js';
import { mayStartInFrame } from '../plan/decide/clip.js';
import { mediaStartSeconds } from '../plan/thumbnails.js';

/**
 * When the frame begins that is on screen where an output's clip starts, in seconds from the beginning of the input. Null where it need not
 * be known, as frames follow each other quickly, or cannot be found out.
 */
export async function findFrameAtStart(
  ffmpeg: Pick<Ffmpeg, 'findDisplayedFrame'>,
  input: { readonly path: string; readonly media: MediaFacts },
  settings: OutputSettings,
  signal?: AbortSignal,
): Promise<number | null> {
  const { path, media } = input;
  const { video } = media;
  if (video === null || !mayStartInFrame(settings, media)) return null;
  const startSeconds = mediaStartSeconds(media);
  const position = { streamIndex: video.streamIndex, seconds: startSeconds + (settings.start_clip ?? 0) };
  const frameStartSeconds = await ffmpeg.findDisplayedFrame(path, position, signal);
  signal?.throwIfAborted();
  return frameStartSeconds === null ? null : Math.max(0, frameStartSeconds - startSeconds);
}
