import type { Captions } from '../../captions/cues.js';
import { clipCues } from '../../captions/cues.js';
import type { SubtitleFacts } from '../../jobs/media.js';
import type { Clip } from './decisions.js';

/** 100 hours: the length of a video whose length is not known. Times in MP4 are limited. */
const maxLengthMs = 360_000_000;

/** Captions often end a little after the video. */
const toleranceMs = 1000;

/** The captions of a clip, and what was cut, one sentence each. */
export function clipCaptions(
  { cues: all, warnings }: Captions,
  clip: Clip,
): { readonly cues: Captions['cues']; readonly warnings: readonly string[] } {
  const startMs = clip.startSeconds * 1000;
  const lengthSeconds = clip.expectedSeconds ?? clip.lengthSeconds;
  const endMs = startMs + (lengthSeconds === null ? maxLengthMs : lengthSeconds * 1000);
  // A caption of `venc plan`, which does not read them, has no end.
  const isBeyondEnd =
    clip.lengthSeconds === null &&
    all.some((cue) => Number.isFinite(cue.endMs) && cue.endMs > endMs + toleranceMs);
  return {
    cues: clipCues(all, startMs, endMs),
    warnings: [...warnings, ...(isBeyondEnd ? ['Captions after the end of the video were cut.'] : [])],
  };
}

const imageCodecs: readonly string[] = ['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle'];

/** Whether subtitles of a codec are images. */
export function areImages(codec: string): boolean {
  return imageCodecs.includes(codec);
}

/** Why subtitles of the input are not in an output, one sentence. `format` is what would have to hold them. */
export function leftOutWarning({ streamIndex, codec }: SubtitleFacts, format: string): string {
  const reason = areImages(codec)
    ? `they are images, which ${format} does not support; .mkv keeps them, and subtitles: burn draws one track`
    : 'their format is not supported, or they cannot be read';
  return `The subtitles in stream ${streamIndex} of the input (${codec}) were left out: ${reason}.`;
}
