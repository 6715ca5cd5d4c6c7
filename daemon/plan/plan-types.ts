import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { JobFailure } from '../jobs/job-failure.js';
import type { Orientation } from '../jobs/media.js';

/** What the ffmpeg at hand can do. Asked of it once, so that the plan can stay pure. */
export interface Capabilities {
  /** Version as a number for comparing: 5.1.9 is 5.1; null for builds that bear no number (git builds). */
  readonly version: number | null;
  /** Names of encoders, e.g. `libx264`. */
  readonly encoders: ReadonlySet<string>;
  readonly filters: ReadonlySet<string>;
  /** Names of muxers, e.g. `mp4`, `webm`. */
  readonly muxers: ReadonlySet<string>;
  /** Whether `-fps_mode` is understood (5.1 and later); `-vsync` otherwise. */
  readonly hasFpsMode: boolean;
}

/** One output to be planned. */
export interface OutputToPlan {
  readonly id: number;
  readonly settings: OutputSettings;
  /** Name of the file at its destination; its extension decides the container. */
  readonly filename: string;
  /** The pictures of `settings.watermark`, in its order; none where the output has no watermarks. */
  readonly watermarks?: readonly WatermarkImage[];
  /**
   * When the frame begins that is on screen where the clip starts, in seconds from the beginning of the input; left out or null where that
   * was not looked up: see `mayStartInFrame`.
   */
  readonly frameAtStart?: number | null;
  /** Test mode (section 8): nothing is longer than 5 seconds after the start of the clip. */
  readonly isTest: boolean;
}

/** A picture to be laid over a video, on this machine's disk: what it was found to be, whatever it is called. */
export interface WatermarkImage {
  readonly path: string;
  /** What reads it. */
  readonly demuxer: 'png_pipe' | 'jpeg_pipe' | 'bmp_pipe' | 'gif';
  /** How it is turned and mirrored to stand upright, as EXIF counts it; left out where it does. */
  readonly orientation?: Orientation;
  /** Sides of the upright picture. */
  readonly width: number;
  readonly height: number;
}

/** Where things lie while a job is worked on: absolute paths, since the steps are run in a folder of their own. */
export interface PlanPaths {
  /** The downloaded input. */
  readonly input: string;
  /** Folder of the job's own, which the steps are run in. */
  readonly scratch: string;
  /** Files that outputs are written to by their ids, where that is not the folder. */
  readonly files?: ReadonlyMap<number, string>;
}

/** One run of ffmpeg. */
export interface Step {
  /** The outputs that it works for. */
  readonly outputIds: readonly number[];
  /** Arguments after the name of the program, complete but for those that only the runner knows (progress pipe). */
  readonly args: readonly string[];
  /** Seconds of media that it goes through, for progress; null where that is not known. */
  readonly durationSeconds: number | null;
  /** Share of this step in the work for each of its outputs; the shares of one output's steps add up to 1. */
  readonly progressWeight: number;
  /**
   * Frames that the encoder holds back, where the reports of the run tell of what went into it (see `heldFrames`); 0 where they tell of
   * what came out.
   */
  readonly encoderDelayFrames: number;
}

/** One file that the steps leave, to be delivered. */
export interface Product {
  readonly outputId: number;
  readonly path: string;
  /** Seconds that the file should last, give or take; null where that is not known. */
  readonly expectedSeconds: number | null;
  /** Seconds that the file may last at most; null where there is no telling. */
  readonly maxSeconds: number | null;
  /** What the picture should be found to be; null where there should be none. */
  readonly video: ProductVideo | null;
  /** The same of the sound. */
  readonly audio: ProductAudio | null;
}

/** The picture of a file that is to be made: codec by its common name (`h264`), size in pixels. */
export interface ProductVideo {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** About how long a frame is shown. */
  readonly frameSeconds: number;
  /** How many frames there should be, where these tell better than the length whether all is there; null elsewhere. */
  readonly frames: number | null;
}

/** The sound of a file that is to be made. */
export interface ProductAudio {
  readonly codec: string;
  readonly channels: number;
}

/** How a job's outputs are made of its input. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly products: readonly Product[];
  /** Outputs that cannot be made of this input, and why. They take no other with them. */
  readonly rejections: readonly OutputRejection[];
}

/** An output that cannot be made of this input, and why. */
export interface OutputRejection {
  readonly outputId: number;
  readonly failure: JobFailure;
}
