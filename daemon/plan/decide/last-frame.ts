import type { MediaFacts } from '../../jobs/media.js';
import { startWithin } from './clip.js';
import type { Decision, LastFrame } from './decisions.js';

/**
 * When the last of uneven frames ends. ffmpeg takes the gap before it for its length, so that a silent show of pictures whose last one
 * stays would be cut short by most of that. Told only where all frames of an input are made, and both files count them:
 * of an input that was itself cut short the last frame would otherwise stay where the rest should be. Sound tells the
 * length of a film by itself, and players show the last frame for as long. A clip of a film whose frames stay for long may end within the last one,
 * which by itself would stay beyond the clip.
 */
export function decideLastFrame(
  { clip, video, audio, container }: Omit<Decision, 'lastFrame'>,
  media: MediaFacts,
): LastFrame | null {
  const { video: inputVideo } = media;
  if (video === null || inputVideo === null || container.hasIndex !== true) return null;
  const { timing } = video;
  const isCutByLength = clip.lengthSeconds !== null || audio === null;
  if (clip.startsInFrame && isCutByLength && timing.by === 'own-times' && clip.expectedSeconds !== null) {
    return { endSeconds: clip.expectedSeconds, frames: null };
  }
  if (audio !== null) return null;
  const isUneven = timing.by === 'own-times' && timing.clock.by === 'fine' && timing.thinning.length === 0;
  const { frameCount = 0, durationSeconds } = inputVideo;
  if (!isUneven || frameCount === 0 || durationSeconds === null || media.format !== 'mpeg4') return null;
  const endSeconds = startWithin(inputVideo.startSeconds, media) + durationSeconds;
  const isComplete =
    clip.startSeconds === 0 && (clip.lengthSeconds === null || clip.lengthSeconds >= endSeconds);
  return isComplete ? { endSeconds, frames: frameCount } : null;
}
