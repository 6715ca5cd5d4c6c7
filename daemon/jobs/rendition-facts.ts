import type { TrackDisposition } from './media.js';

/** A track of a rendition whose tracks are in files of their own, as manifests of DASH and playlists declare it. */
export interface TrackFacts {
  readonly kind: 'video' | 'audio';
  /** Name of the codec (RFC 6381). */
  readonly codec: string;
  /** ISO 639-2 code; null if it is not known. */
  readonly language: string | null;
  /** Its title in the input; absent if it has none. */
  readonly title?: string;
  /** What it is for; absent if nothing is known. */
  readonly purposes?: readonly TrackDisposition[];
  /** Of audio; absent in older records. */
  readonly channels?: number;
  readonly sampleRate?: number;
  /** Bits per second: the highest rate of a segment, and that of the whole track. */
  readonly peakBitrate: number;
  readonly averageBitrate: number;
  readonly longestSegmentSeconds: number;
  /** Set if frames that are shown before a keyframe follow it, because they need the frames before it (open GOP). */
  readonly hasLeadingFrames?: true;
  /** The name of its own playlist (HLS); absent if there is none. */
  readonly playlist?: string;
  readonly files: TrackFiles;
  /** Units per second of the times below. */
  readonly timescale: number;
  /** When its first segment begins. */
  readonly startTime: number;
  /** The durations of its segments, in runs of equal ones: `[duration, count]`. */
  readonly durations: readonly (readonly [number, number])[];
}

/** The names of the files of a track, next to the playlist. */
type TrackFiles =
  /** One for each segment: `STEM-00001.m4s` and so on. */
  | { readonly by: 'segment'; readonly header: string; readonly stem: string }
  /** One file. It begins with a header and, directly after that, an index. */
  | {
      readonly by: 'range';
      readonly name: string;
      readonly headerBytes: number;
      readonly indexBytes: number;
    };

/** A file of captions next to the file of an output. */
export interface CaptionFileFacts {
  readonly name: string;
  /** A code of BCP 47; null if it is not known. */
  readonly language: string | null;
  /** The name for people. */
  readonly label: string;
}

/** Captions that belong to a rendition, with its times. */
export interface CaptionRenditionFacts {
  /** A code of BCP 47; null if it is not known. */
  readonly language: string | null;
  /** The name for people. */
  readonly label: string;
  readonly isDefault: boolean;
  readonly isForced: boolean;
  /** The name of their playlist (HLS), next to that of the rendition; absent if there is none. */
  readonly playlist?: string;
  /** The name of the file with all of them (DASH); absent if there is none. */
  readonly file?: string;
}
