import type { AudioFacts } from '../jobs/media.js';
import { hasDisposition, numberAt, type ProbeObject, textAt } from './probe-fields.js';
import { isCodecKnown, readStream } from './read-stream.js';

function isUsable(stream: ProbeObject): boolean {
  const channels = numberAt(stream, 'channels') ?? 0;
  const sampleRate = numberAt(stream, 'sample_rate') ?? 0;
  return textAt(stream, 'codec_type') === 'audio' && isCodecKnown(stream) && channels > 0 && sampleRate > 0;
}

/** The default sound stream, else the first that can be used; null where there is none. */
export function readAudio(streams: readonly ProbeObject[]): AudioFacts | null {
  const usableStreams = streams.filter(isUsable);
  const chosen = usableStreams.find((stream) => hasDisposition(stream, 'default')) ?? usableStreams[0];
  if (chosen === undefined) return null;
  return {
    ...readStream(chosen),
    channels: numberAt(chosen, 'channels') ?? 0,
    sampleRate: numberAt(chosen, 'sample_rate') ?? 0,
  };
}
