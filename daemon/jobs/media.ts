/** A fraction such as a sample aspect ratio or a frame rate. */
export interface Ratio {
  readonly numerator: number;
  readonly denominator: number;
}

/** The chosen video stream of a file, as ffprobe tells it. */
export interface VideoFacts {
  /** Index among all streams of the file, for `-map 0:N`. */
  readonly streamIndex: number;
  readonly codec: string;
  /** Pixels as stored: before any rotation. */
  readonly width: number;
  readonly height: number;
  /** Width of a pixel by its height; 1:1 where the file does not say. */
  readonly sampleAspectRatio: Ratio;
  /** How far the picture must be turned clockwise to stand upright. */
  readonly rotationDegrees: 0 | 90 | 180 | 270;
  /** Frames a second on average; null where the file does not tell. */
  readonly frameRate: Ratio | null;
  readonly isFrameRateVariable: boolean;
  /** Left out where the file does not say. */
  readonly frameCount?: number;
  readonly fieldOrder: 'progressive' | 'top-first' | 'bottom-first' | 'unknown';
  readonly pixelFormat: string | null;
  /** By which rule its colours became luma and chroma, as ffprobe calls it: `bt709`, ...; left out where the file does not say. */
  readonly colourSpace?: string;
  /** How light became numbers, as ffprobe calls it: `bt709`, `smpte2084` (PQ), ...; left out where the file does not say. */
  readonly colourTransfer?: string;
  /** Which red, green and blue are meant, as ffprobe calls them: `bt709`, `bt2020`, ...; left out where the file does not say. */
  readonly colourPrimaries?: string;
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number | null;
  readonly startSeconds: number | null;
}

/** The chosen audio stream of a file. */
export interface AudioFacts {
  readonly streamIndex: number;
  readonly codec: string;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number | null;
  readonly startSeconds: number | null;
}

/** What is known of a media file: the best video stream (cover art is none) and the default audio stream. */
export interface MediaFacts {
  /** Container, one word: `mpeg4`, `matroska`, `webm`, `avi`, ... */
  readonly format: string;
  readonly durationSeconds: number | null;
  readonly totalBitrateKbps: number | null;
  readonly video: VideoFacts | null;
  readonly audio: AudioFacts | null;
}

/** Size of the picture as a viewer sees it upright, in stored pixels (not yet made square). */
export function uprightSize(video: VideoFacts): { readonly width: number; readonly height: number } {
  const isTurned = video.rotationDegrees === 90 || video.rotationDegrees === 270;
  return isTurned
    ? { width: video.height, height: video.width }
    : { width: video.width, height: video.height };
}
