import type { MediaFacts } from '../jobs/media.js';
import type { Capabilities, WatermarkImage } from '../plan/plan-types.js';

/** Where a program was found: the order in which it is looked for. */
export type BinarySource = 'option' | 'ffmpeg-static' | 'PATH' | 'ffmpeg-binary' | 'installer';

/** One of the two programs. */
export interface Binary {
  readonly path: string;
  /** As the program prints it, e.g. `5.1.9-0+deb12u1`. */
  readonly version: string;
  readonly source: BinarySource;
}

/** How far a run of ffmpeg is. */
export interface EncodeProgress {
  /** Seconds of media written. */
  readonly seconds: number;
  readonly frame: number | null;
  readonly fps: number | null;
  /** Multiple of real time. */
  readonly speed: number | null;
}

/** What goes with one run of ffmpeg. */
export interface EncodeOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: EncodeProgress) => void;
  /** Folder to run in; the run's pid is kept there while it goes on, for the next start to end it after a crash. */
  readonly scratch: string;
}

/** A moment of a stream, in seconds by the times in the file. */
export interface DisplayMoment {
  readonly streamIndex: number;
  readonly seconds: number;
}

/** What was measured of the picture of a file: its packets alone, without what the container adds. */
export interface MeasuredVideo {
  readonly kbps: number;
  readonly seconds: number;
}

/**
 * ffmpeg and ffprobe, the only way to them. Both read local files only, with an allow-list of protocols and demuxers
 * and a limit of 36,000,000 pixels.
 */
export interface Ffmpeg {
  readonly ffmpeg: Binary;
  readonly ffprobe: Binary;
  readonly capabilities: Capabilities;
  /**
   * What a file is. Rejects with `NoMediaError` where nothing is recognised in it, `UnsupportedInputError` where
   * something is that is not taken (playlist, picture beyond the limit, encrypted).
   */
  probe(path: string, signal?: AbortSignal): Promise<MediaFacts>;
  /**
   * What a still picture is: PNG, GIF, JPEG or BMP by its first bytes, whatever its name. Rejects with `WatermarkError` where it is
   * none of these, cannot be read, or is larger than the limit.
   */
  probeImage(path: string, signal?: AbortSignal): Promise<WatermarkImage>;
  /** When the frame begins that is on screen at a moment, by the times in the file; null where that cannot be told. Never rejects. */
  findDisplayedFrame(path: string, moment: DisplayMoment, signal?: AbortSignal): Promise<number | null>;
  /** The bitrate of a file's picture, by all of its packets; null where it cannot be told. Never rejects. */
  measureVideo(path: string, signal: AbortSignal): Promise<MeasuredVideo | null>;
  /**
   * Runs ffmpeg with a plan's arguments. Rejects with the class that its last words tell (`TranscodingError`,
   * `OutOfSpaceError`, ...), with `TranscodingTimeoutError` when it got nowhere for too long, with `InterruptedError`
   * when the signal ended it. Guards that a plan left out are put in front of its inputs. Ended by SIGTERM, and by
   * SIGKILL a second later; never outlives the daemon.
   */
  run(args: readonly string[], options: EncodeOptions): Promise<void>;
}
