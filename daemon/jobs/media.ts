/** A fraction such as a sample aspect ratio or a frame rate. */
export interface Ratio {
  readonly numerator: number;
  readonly denominator: number;
}

/** How a picture is turned and mirrored to stand upright, as EXIF numbers it: 1 is upright, even numbers up to 4 and odd ones from 5 on are mirrored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Whether width and height change places when a picture of this orientation is made upright. */
export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5;
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
  /** How far the picture must be turned clockwise to stand upright, after it was mirrored where `isMirrored` says so. */
  readonly rotationDegrees: 0 | 90 | 180 | 270;
  /** Whether left and right must be exchanged first; left out where not. */
  readonly isMirrored?: boolean;
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
  /** Whether luma uses all numbers or those of television; left out where the file does not say. */
  readonly colourRange?: 'full' | 'limited';
  /** Set where the picture may have transparent parts. */
  readonly hasAlpha?: true;
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

const rotatedOrientation = { 0: 1, 90: 6, 180: 3, 270: 8 } as const;
const mirroredOrientation = { 0: 2, 90: 7, 180: 4, 270: 5 } as const;

/** How the picture of a film is turned and mirrored to stand upright. */
export function orientationOf({ isMirrored = false, rotationDegrees }: VideoFacts): Orientation {
  return (isMirrored ? mirroredOrientation : rotatedOrientation)[rotationDegrees];
}

/** Size of the picture as a viewer sees it upright, in stored pixels (not yet made square). */
export function uprightSize(video: VideoFacts): { readonly width: number; readonly height: number } {
  return swapsSides(orientationOf(video))
    ? { width: video.height, height: video.width }
    : { width: video.width, height: video.height };
}
