import type { AudioFacts, VideoFacts } from '../jobs/media.js';
import { numberAt, type ProbeObject } from './probe-fields.js';
import { positive } from './read-stream.js';

/** By no more than this do the lengths of a file and of what is in it differ without a reason: padding, rounded times. */
const maxDifferenceSeconds = (seconds: number) => Math.max(0.5, seconds * 0.02);

/**
 * How long what is encoded of a file lasts, in seconds; null where nothing tells. That is what the file says of itself, unless the chosen
 * video and sound are known to end well before: a subtitle that stays for an hour, or a camera's track of data, makes
 * the file longer and none of the outputs.
 */
export function readDuration(
  format: ProbeObject,
  streams: readonly ProbeObject[],
  chosen: readonly (VideoFacts | AudioFacts | null)[],
): number | null {
  const declaredSeconds = positive(numberAt(format, 'duration')) ?? longestStream(streams);
  const endSeconds = endOf(chosen.filter((stream) => stream !== null));
  if (declaredSeconds === null || endSeconds === null) return declaredSeconds;
  return endSeconds < declaredSeconds - maxDifferenceSeconds(declaredSeconds) ? endSeconds : declaredSeconds;
}

function longestStream(streams: readonly ProbeObject[]): number | null {
  return positive(Math.max(0, ...streams.map((stream) => numberAt(stream, 'duration') ?? 0)));
}

/** Seconds from the first beginning of some streams to their last end; null where one of them does not tell. */
function endOf(streams: readonly (VideoFacts | AudioFacts)[]): number | null {
  const first = Math.min(...streams.map(({ startSeconds }) => startSeconds ?? 0));
  const ends = streams.map(({ startSeconds, durationSeconds }) =>
    durationSeconds === null ? Number.NaN : (startSeconds ?? 0) - first + durationSeconds,
  );
  const last = Math.max(...ends);
  return Number.isFinite(last) ? last : null;
}
