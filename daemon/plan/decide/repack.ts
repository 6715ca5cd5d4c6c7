import type { MediaFacts } from '../../jobs/media.js';
import { startWithin } from './clip.js';
import type { AudioDecision } from './decisions.js';

/** Codecs that phones pack dozens of frames of into one packet. */
const packedCodecs: ReadonlySet<string> = new Set(['amr_nb', 'amr_wb']);

/**
 * Whether the sound has to be packed anew before it is decoded. ffmpeg 5 decodes only the first frame of a packet of AMR and
 * says nothing, which leaves a fiftieth of the sound of a phone's file; 4.1 and 7.0 decode all of it. In a file of its own AMR
 * has one frame a packet, and all of them read that.
 */
export function decideRepack(media: MediaFacts): AudioDecision['repack'] {
  const { format, audio } = media;
  if (audio === null || format === 'amr' || !packedCodecs.has(audio.codec)) return null;
  return { offsetSeconds: startWithin(audio.startSeconds, media) };
}
