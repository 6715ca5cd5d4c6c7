/** A position in a file at which a segment can begin: a keyframe, or a frame of audio. */
export interface AccessPoint {
  readonly offset: number;
  /** Presentation time. */
  readonly seconds: number;
  /** Size of the keyframe with all that is stored before the next frame. */
  readonly keyframeBytes: number;
  /** Set if a decoder also needs the tables of the transport stream, which are not repeated here. */
  readonly lacksTables?: true;
}

/** A part of a rendition. Its bytes in the file that is cut follow those of the segment before it. */
export interface Segment {
  /** Time of its first frame since the start of the rendition. */
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly offset: number;
  readonly sizeBytes: number;
  /** See `AccessPoint`. */
  readonly lacksTables?: true;
  /** Its keyframes, the first at its start. */
  readonly keyframes: readonly AccessPoint[];
}

/** When transport streams begin, in seconds: the muxer of ffmpeg leaves this time for buffers. */
export const transportStreamStart = 1.4;

/**
 * When the last segment ends: with the video, or with audio that is longer by more than a frame. Audio often ends
 * within the last frame, or a little after it, and the renditions of a film are to have the same length.
 */
export function endOfStreams({
  video,
  audio,
  frameSeconds,
}: {
  readonly video: number | null;
  readonly audio: number | null;
  readonly frameSeconds: number;
}): number | null {
  if (video === null || audio === null) return video ?? audio;
  return audio > video + frameSeconds ? audio : video;
}

/** Frames may be earlier than their exact time by rounding, as by a tick of 90 kHz or of 1/1000 second. */
const toleranceSeconds = 0.0015;

/**
 * Cuts a rendition into segments: one begins at the first access point at or after each multiple of `segmentSeconds`
 * since the start. Renditions whose keyframes have the same times therefore have the same segments.
 */
export class SegmentCutter {
  readonly #segmentSeconds: number;
  readonly #segments: Segment[] = [];
  #keyframes: AccessPoint[] = [];
  #startSeconds = 0;

  constructor(segmentSeconds: number) {
    this.#segmentSeconds = segmentSeconds;
  }

  /** Takes the access points in their order. */
  add(point: AccessPoint): void {
    const [first] = this.#keyframes;
    if (first === undefined) this.#startSeconds = point.seconds;
    else if (this.#isBoundary(first, point)) this.#close(first, point.seconds, point.offset);
    this.#keyframes.push(point);
  }

  /** The segments, after the last access point. */
  end(endSeconds: number, endOffset: number): readonly Segment[] {
    const [first] = this.#keyframes;
    if (first !== undefined) this.#close(first, endSeconds, endOffset);
    return this.#segments;
  }

  #isBoundary(first: AccessPoint, point: AccessPoint): boolean {
    const gridIndex = ({ seconds }: AccessPoint) =>
      Math.floor((seconds - this.#startSeconds + toleranceSeconds) / this.#segmentSeconds);
    return gridIndex(point) > gridIndex(first);
  }

  #close(first: AccessPoint, endSeconds: number, endOffset: number): void {
    this.#segments.push({
      startSeconds: first.seconds - this.#startSeconds,
      durationSeconds: endSeconds - first.seconds,
      offset: first.offset,
      sizeBytes: endOffset - first.offset,
      ...(first.lacksTables === true ? { lacksTables: true } : {}),
      keyframes: this.#keyframes,
    });
    this.#keyframes = [];
  }
}
