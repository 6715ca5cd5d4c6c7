import { VencError } from '../../src/shared/errors.js';
import { type OpenOptions, openFfmpeg } from '../ffmpeg/index.js';
import { missingFfmpegMessage } from './health.js';

/**
 * Opens ffmpeg to check whether media files have all their packets, as encodes of `venc run --skip-existing` do.
 * Rejects with `UnavailableError` if there is no ffmpeg. The check itself does not reject.
 */
export async function openMediaCheck(
  programs: Pick<OpenOptions, 'ffmpeg' | 'ffprobe' | 'sandbox'>,
  signal: AbortSignal,
): Promise<(path: string) => Promise<boolean>> {
  const { ffmpeg } = await openFfmpeg(programs);
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  return (path) => ffmpeg.isWhole(path, signal).catch(() => false);
}
