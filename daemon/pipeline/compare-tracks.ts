import type { RunReport, TrackCounts } from '../ffmpeg/index.js';
import type { Product, TrackSource } from '../plan/plan-types.js';

/** A track of an output that has less than what was decoded of its source, or copied from it. */
export interface LostTrack {
  readonly kind: 'video' | 'audio';
  readonly isCopied: boolean;
  /** How much of what was wanted is there, 0-1. */
  readonly share: number;
  /** Both lengths in words: `0.1 of 4.0 seconds`, `20 of 40 frames`. */
  readonly lengths: string;
}

/** Below this share, a track has lost something. */
const completeShare = 0.98;
/** A loss that is not noticed at a start or an end, in seconds, and in frames. */
const slack = { seconds: 0.25, units: 2 } as const;

/** The tracks of an output that lost more than 2 % between decoding and the file, by what ffmpeg counted. Pure. */
export function findLostTracks(
  { sources = {}, path, audio }: Product,
  report: RunReport,
): readonly LostTrack[] {
  return (['video', 'audio'] as const).flatMap((kind): LostTrack[] => {
    const source = sources[kind];
    const read = source === undefined ? undefined : report.read.get(source.stream);
    const written = report.written.get(path)?.get(kind);
    if (source === undefined || read === undefined || written === undefined) return [];
    const unitsWritten = unitsOf(written, kind, source);
    const wanted = unitsWanted(read, kind, source);
    if (unitsWritten === null || wanted === null || unitsWritten >= wanted * completeShare) return [];
    const maxLoss = Math.max(slack.units, slack.seconds * (source.unitsPerSecond ?? 0));
    if (wanted - unitsWritten <= maxLoss) return [];
    const isDecodedAudio = kind === 'audio' && !source.isCopied && audio !== null;
    const lengths = isDecodedAudio
      ? `${(unitsWritten / audio.sampleRate).toFixed(1)} of ${(wanted / audio.sampleRate).toFixed(1)} seconds`
      : `${unitsWritten} of ${Math.round(wanted)} ${source.isCopied ? 'packets' : 'frames'}`;
    return [{ kind, isCopied: source.isCopied, share: unitsWritten / wanted, lengths }];
  });
}

/** Whether ffmpeg counted all tracks of an output, so that its length is known to be that of what was decoded. */
export function areTracksCounted({ path, video, audio }: Product, report: RunReport): boolean {
  const written = report.written.get(path);
  return (
    written !== undefined &&
    (video === null || written.has('video')) &&
    (audio === null || written.has('audio'))
  );
}

function unitsOf(
  { packets, frames, samples }: TrackCounts,
  kind: LostTrack['kind'],
  { isCopied }: TrackSource,
): number | null {
  if (isCopied) return packets;
  return kind === 'audio' ? samples : frames;
}

/**
 * Null if unknown. A part of the input is known only where its frames are even. Reading begins at an unknown place before a clip, at the
 * earliest at the start of the input, so at least the rest is wanted.
 */
function unitsWanted(read: TrackCounts, kind: LostTrack['kind'], source: TrackSource): number | null {
  const { unitsPerRead, unitsPerSecond, startSeconds, lengthSeconds, isCopied } = source;
  const units = unitsOf(read, kind, source);
  if (units === null) return null;
  // Audio that changes its sample rate has at least the seconds that it would have at the highest one.
  const perRead =
    kind === 'audio' && !isCopied && read.maxSampleRate !== undefined && unitsPerSecond !== null
      ? Math.min(unitsPerRead, unitsPerSecond / read.maxSampleRate)
      : unitsPerRead;
  const all = units * perRead;
  if (startSeconds === 0 && lengthSeconds === null) return all;
  if (unitsPerSecond === null) return null;
  return Math.min(
    all - startSeconds * unitsPerSecond,
    lengthSeconds === null ? Number.POSITIVE_INFINITY : lengthSeconds * unitsPerSecond,
  );
}
