import type { AudioFacts, MediaFacts, VideoFacts } from '../jobs/media.js';
import type { Decision, Timing } from './decide/decisions.js';
import { perSecond } from './decide/timing.js';
import type { PlanPaths, TrackSource } from './plan-types.js';
import { audioFileOf } from './write/input.js';

/** From which tracks of the input those of an output are made, to compare what ffmpeg wrote with what it decoded. */
export function trackSourcesOf(
  decision: Decision,
  media: MediaFacts,
  paths: PlanPaths,
): { readonly video?: TrackSource; readonly audio?: TrackSource } {
  const { clip, copies } = decision;
  const part = { startSeconds: clip.startSeconds, lengthSeconds: clip.lengthSeconds };
  const video = copies?.video == null ? encodedVideo(decision, media, paths) : copied(copies.video, paths);
  const audio = copies?.audio == null ? encodedAudio(decision, media, paths) : copied(copies.audio, paths);
  return {
    ...(video === null ? {} : { video: { ...part, ...video } }),
    ...(audio === null ? {} : { audio: { ...part, ...audio } }),
  };
}

type Counting = Omit<TrackSource, 'startSeconds' | 'lengthSeconds'>;

/** The packets of a copy are those of the input. How many of them are in a clip is not known. */
function copied({ streamIndex }: VideoFacts | AudioFacts, { input }: PlanPaths): Counting {
  return { stream: `${input}:${streamIndex}`, isCopied: true, unitsPerRead: 1, unitsPerSecond: null };
}

/** Null if the number of frames does not follow from that of the input: uneven frames at another rate. */
function encodedVideo({ video }: Decision, media: MediaFacts, { input }: PlanPaths): Counting | null {
  if (video === null) return null;
  const { frameRate = null, isFrameRateVariable = true } = media.video ?? {};
  const inputRate = isFrameRateVariable || frameRate === null ? null : perSecond(frameRate);
  const unitsPerRead = framesPerRead(video.timing, inputRate);
  if (unitsPerRead === null) return null;
  return {
    stream: `${input}:${video.streamIndex}`,
    isCopied: false,
    unitsPerRead,
    unitsPerSecond: inputRate === null ? null : inputRate * unitsPerRead,
  };
}

/** A frame per field counts as one frame, because only interlaced frames become two. */
function framesPerRead(timing: Timing, inputRate: number | null): number | null {
  if (timing.by === 'constant-rate') return inputRate === null ? null : perSecond(timing.rate) / inputRate;
  const [rule, ...others] = timing.dropRules;
  if (rule === undefined) return 1;
  return rule.by === 'count' && others.length === 0 ? 1 / rule.oneOf : null;
}

function encodedAudio(decision: Decision, media: MediaFacts, paths: PlanPaths): Counting | null {
  const { audio } = decision;
  if (audio === null) return null;
  const input = [media.audio, ...(media.otherAudio ?? [])].find(
    (one) => one?.streamIndex === audio.streamIndex,
  );
  if (input == null) return null;
  const file = audioFileOf(decision, paths);
  return {
    stream: file === null ? `${paths.input}:${audio.streamIndex}` : `${file}:0`,
    isCopied: false,
    unitsPerRead: audio.sampleRate / input.sampleRate,
    unitsPerSecond: audio.sampleRate,
  };
}
