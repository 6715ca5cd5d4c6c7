import type { Analysis, FrameShapes, MediaFacts, Ratio, VideoFacts } from '../jobs/media.js';
import type { AudioMeasurement, MeasuredAudio } from '../plan/decide/normalization.js';
import type { Capabilities, CopiedClip, CopyStart, WatermarkImage } from '../plan/plan-types.js';
import type { FrameRange } from '../plan/quality/choose-samples.js';
import type { MeasuredFrames } from '../plan/quality/pool-scores.js';
import type { FrameRun, QualityMetric } from '../plan/quality/quality-types.js';
import type { EncodeLimits, EncodeWork } from './containment/program-limits.js';

/** Where a program was found, in search order. */
export type BinarySource = 'option' | 'ffmpeg-static' | 'PATH' | 'ffmpeg-binary' | 'installer';

/** An installed ffmpeg or ffprobe. */
export interface Binary {
  readonly path: string;
  /** As the program prints it, e.g. `5.1.9-0+deb12u1`. */
  readonly version: string;
  readonly source: BinarySource;
}

/** Progress of an ffmpeg run. */
export interface EncodeProgress {
  /** Seconds of media written. */
  readonly seconds: number;
  readonly frame: number | null;
  readonly fps: number | null;
  /** Multiple of real time. */
  readonly speed: number | null;
}

/** What ffmpeg counted in a track. */
export interface TrackCounts {
  readonly packets: number;
  /** Decoded or encoded frames; null for a copy. For audio, packets of samples. */
  readonly frames: number | null;
  /** Decoded or encoded samples per channel; null for video and for a copy. */
  readonly samples: number | null;
  /** The highest sample rate of the decoded audio, which may change. Absent if unknown. */
  readonly maxSampleRate?: number;
}

/** What a run of ffmpeg read and wrote, by its own count. */
export interface RunReport {
  /** Whether the messages of decoders show that the input is damaged. */
  readonly isDamaged: boolean;
  /** Whether a decoder rejected anything, which it also does at the end of a complete file. */
  readonly hasErrors: boolean;
  /** Whether a demuxer found that the end of the input is missing. */
  readonly isCutOff: boolean;
  /** The tracks that it read, by the path of the file and the index of the stream: `/scratch/input:1`. */
  readonly read: ReadonlyMap<string, TrackCounts>;
  /** The video and the tracks of audio that it wrote, by the path of the file. */
  readonly written: ReadonlyMap<
    string,
    { readonly video?: TrackCounts; readonly audio: readonly TrackCounts[] }
  >;
  /**
   * Set if the size or the shape of the pixels of the video changed: what was done about it by `shapeFilters`, or by
   * ffmpeg without them.
   */
  readonly shapeChange?: 'fitted' | 'distorted';
}

/** Options of an ffmpeg run. */
export interface EncodeOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: EncodeProgress) => void;
  /** Called at the end of a successful run with what it read and wrote. Without it, ffmpeg prints only errors. */
  readonly onReport?: (report: RunReport) => void;
  /** What it processes, for the limit of processor time; absent if unknown. */
  readonly work?: EncodeWork;
  /** Called with all errors on stderr, as they arrive. */
  readonly onStderr?: (text: string) => void;
  /** The output that the run is for, for the log. Absent if it is for several, or for the input. */
  readonly outputId?: number;
  /**
   * Working folder, the only one that it can write to in a sandbox. The process id is recorded there during the run, so
   * that the next start of the daemon can end it after a crash.
   */
  readonly scratch: string;
}

/** An ffmpeg that is newer than the one in use. */
export interface NewerFfmpeg {
  readonly binary: Binary;
  /** Null if it must not be used, because the user chose the one in use. */
  readonly ffmpeg: Ffmpeg | null;
}

/** A time in a stream, in seconds of the file's timestamps. */
export interface DisplayMoment {
  readonly streamIndex: number;
  readonly seconds: number;
  /** See `MediaFacts`. */
  readonly analysis?: Analysis | undefined;
}

/** Bitrate and duration of a file's video packets, without container overhead. */
export interface MeasuredVideo {
  readonly kbps: number;
  readonly seconds: number;
}

/** A program whose filter `libvmaf` measures the quality of videos. It need not be the one that encodes. */
export interface Measurer {
  readonly program: 'ffmpeg' | 'ffprobe';
  readonly binary: Binary;
}

/** What to measure the quality of. */
export interface QualityRequest {
  readonly metric: QualityMetric;
  readonly output: FrameRun;
  readonly reference: FrameRun;
  /** The duration of the video; null if unknown. */
  readonly seconds: number | null;
  /** About how many frames the video has; null or absent if unknown. */
  readonly frameCount?: number | null;
  /** The frames that are measured; all if absent. */
  readonly frames?: readonly FrameRange[];
  /** One of so many frames is measured; if absent, that follows from the duration and the number of frames. */
  readonly subsample?: number;
  /** The threads of each program; as many as the limits allow if absent. */
  readonly threads?: number;
}

/**
 * Runs ffmpeg and ffprobe; nothing else in the daemon does. Both read only local files, with allow-lists of protocols
 * and demuxers and a limit of 36,000,000 pixels.
 */
export interface Ffmpeg {
  readonly ffmpeg: Binary;
  readonly ffprobe: Binary;
  readonly capabilities: Capabilities;
  /** The limits of all runs. */
  readonly limits: EncodeLimits;
  /**
   * Probes a media file. Rejects with `NoMediaError` if it is not media, `UnsupportedInputError` if it is not supported
   * (playlist, frame size beyond the limit, encrypted). `program` is the number or name of the programme to use;
   * `NoMediaError` if there is no such programme.
   */
  probe(path: string, signal?: AbortSignal, program?: string): Promise<MediaFacts>;
  /**
   * Probes an image. The format (PNG, GIF, JPEG or BMP) is detected from its first bytes. Rejects with `WatermarkError`
   * if it is none of these, cannot be read, or exceeds the pixel limit. `subject` is what messages call it.
   */
  probeImage(
    path: string,
    signal?: AbortSignal,
    subject?: 'watermark' | 'cover image',
  ): Promise<WatermarkImage>;
  /** The timestamp of the frame that is displayed at a time; null if it cannot be determined. Never rejects. */
  findDisplayedFrame(path: string, moment: DisplayMoment, signal?: AbortSignal): Promise<number | null>;
  /**
   * Where a copy of streams begins, of which the first is a video, if ffmpeg is asked to seek to a time from the start
   * of the file. Null if it cannot be determined. Never rejects.
   */
  findCopyStart(
    path: string,
    copy: CopiedClip,
    analysis?: Analysis,
    signal?: AbortSignal,
  ): Promise<CopyStart | null>;
  /**
   * The exact rate of a video whose frames all have times of a constant rate, rounded to the clock of the file. Null if
   * one has another time, or if it cannot be determined. Reads the whole file, or the frames until one has another
   * time. Never rejects.
   */
  measureConstantRate(path: string, video: VideoFacts, signal?: AbortSignal): Promise<Ratio | null>;
  /**
   * The shapes of frames of a transport or program stream in which the shape of the pixels changes, for an ffmpeg that
   * does not see that. Null if it does not change, for other files, and if it cannot be determined. Decodes all
   * keyframes. Never rejects.
   */
  listShapes(path: string, media: MediaFacts, signal?: AbortSignal): Promise<FrameShapes | null>;
  /** The length in seconds that the header of a file states; null if it states none. Never rejects. */
  readLength(path: string, signal: AbortSignal): Promise<number | null>;
  /**
   * Whether a media file has its last packets, as far as its format says where it ends. Reads the beginning and the end.
   * Rejects if the file cannot be read.
   */
  isWhole(path: string, signal: AbortSignal): Promise<boolean>;
  /** Measures the bitrate of a file's video from all its packets; null if it cannot be determined. Never rejects. */
  measureVideo(path: string, signal: AbortSignal): Promise<MeasuredVideo | null>;
  /**
   * The bytes of a video in each second from its first frame, from all its packets; empty if they cannot be read. Never
   * rejects.
   */
  measureSeconds(path: string, streamIndex: number, signal: AbortSignal): Promise<readonly number[]>;
  /**
   * Finds a newer ffmpeg on this machine, for an input that this one cannot decode; null if there is none. Searches at
   * the first call.
   */
  newer(): Promise<NewerFfmpeg | null>;
  /** Measures audio with the arguments of `Plan.measurements`. Rejects as `run` does. */
  measureAudio(
    args: readonly string[],
    measurement: AudioMeasurement,
    options: EncodeOptions,
  ): Promise<MeasuredAudio>;
  /**
   * The program that measures the quality of videos, which may be another one; null if there is none on this machine.
   */
  readonly measurer: Measurer | null;
  /**
   * Measures how close the frames of a video come to those of its reference. Progress counts the frames. Rejects with
   * `QualityError` if the frame counts differ or the program that measures fails, with `UnavailableError` if there is
   * none, and otherwise as `run` does.
   */
  measureQuality(request: QualityRequest, options: EncodeOptions): Promise<MeasuredFrames>;
  /**
   * Runs ffmpeg with a plan's arguments. Rejects with the class of its last error message (`TranscodingError`,
   * `OutOfSpaceError`, ...), with `TranscodingTimeoutError` if it makes no progress for too long, with the class of a
   * limit that ended it (`MemoryLimitError`, ...), with `InterruptedError` once the signal is aborted. Adds the input
   * guards that a plan left out. If it decoded no frame of a track, it rejects with an error that `undecodedTrack`
   * recognises. An aborted run gets SIGTERM, and SIGKILL a second later. No run outlives the daemon.
   */
  run(args: readonly string[], options: EncodeOptions): Promise<void>;
}
