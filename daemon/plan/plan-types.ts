import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { Captions } from '../captions/cues.js';
import type { JobFailure } from '../jobs/job.js';
import type {
  Analysis,
  LightLevels,
  MasteringDisplay,
  Orientation,
  TrackDisposition,
  TrackLabels,
  VideoFacts,
} from '../jobs/media.js';
import type { TrackOrigins } from '../jobs/tracks.js';
import type { AudioMeasurement, MeasuredAudio } from './decide/normalization.js';
import type { Packaging } from './decide/packaging.js';
import type { PlannedReference } from './quality/quality-types.js';
import type { TargetQuality } from './quality/search-crf.js';

/** What this ffmpeg supports. Queried once, so that planning stays pure. */
export interface Capabilities {
  /** Version as a number: 5.1.9 is 5.1. Null for builds without a version number (git builds). */
  readonly version: number | null;
  /** Names of encoders, e.g. `libx264`. */
  readonly encoders: ReadonlySet<string>;
  /** Names of filters. `libvmaf` is that of the program that measures quality, which may be another one. */
  readonly filters: ReadonlySet<string>;
  /** Names of muxers, e.g. `mp4`, `webm`. */
  readonly muxers: ReadonlySet<string>;
  /** Whether `-fps_mode` is supported (5.1 and later); older versions use `-vsync`. */
  readonly hasFpsMode: boolean;
}

/** An output to plan. */
export interface OutputToPlan {
  readonly id: number;
  readonly settings: OutputSettings;
  /** File name at the destination. Its extension selects the container. */
  readonly filename: string;
  /** The images of `settings.watermark`, in order. */
  readonly watermarks?: readonly WatermarkImage[];
  /** The images of `settings.cover`: those of the input, or that of the request. */
  readonly covers?: PreparedCovers;
  /** The folder within the scratch folder with the fonts in the input; absent if there are none. */
  readonly fontsFolder?: string;
  /** The captions that were read from the input and from `settings.caption_url`, in order. */
  readonly captions?: readonly PreparedCaptions[];
  /**
   * Start of the frame that is displayed at the start of the clip, in seconds from the start of the input. Null or
   * absent if unknown: see `mayStartInFrame`.
   */
  readonly frameAtStart?: number | null;
  /** Where the packets of a copied clip begin; null or absent if that is unknown. */
  readonly copyStart?: CopyStart | null;
  /** What was measured in each of its tracks of audio, by the index of the stream, as `Plan.measurements` asks. */
  readonly measured?: ReadonlyMap<number, MeasuredAudio>;
  /** The constant rate factor for its `quality_target`, in the scale of its encoder; absent before it was searched. */
  readonly crf?: number;
  /** The lengths of the segments into which it is cut, or copies of it, in seconds; absent if there are none. */
  readonly segmentGrids?: readonly number[];
  /** Test mode (section 8): the output ends at most 5 seconds after the start of the clip. */
  readonly isTest: boolean;
}

/** The streams that an output copies, and where ffmpeg is asked to seek to. */
export interface CopiedClip {
  /** The indexes of the streams, first that of the video. */
  readonly streams: readonly number[];
  /** Seconds from the start of the input. */
  readonly seconds: number;
}

/** Where the packets of a copied clip begin, in seconds from the start of the input. */
export interface CopyStart {
  /** The time of the first frame of the video. */
  readonly videoSeconds: number;
  /** The decoding time of the first packet of all streams, which gets the time 0 in the output. */
  readonly firstSeconds: number;
}

/** A watermark image on the local disk. Its properties come from its content, not from its name. */
export interface WatermarkImage {
  readonly path: string;
  /** The demuxer of ffmpeg that reads it. */
  readonly demuxer: 'png_pipe' | 'jpeg_pipe' | 'bmp_pipe' | 'gif';
  /** The EXIF orientation; absent if the image needs no rotation. */
  readonly orientation?: Orientation;
  /** Width and height after rotation. */
  readonly width: number;
  readonly height: number;
}

/** A cover image on the local disk, as outputs have it. */
export interface CoverImage {
  /** Its name ends with the format, by which ffmpeg knows it. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly format: 'jpg' | 'png';
  /** The stream of the input that it comes from; null for an image of the request. */
  readonly streamIndex: number | null;
  /** Its name in Matroska files. */
  readonly fileName: string;
  readonly title: string | null;
  /** What it shows, by the names of ID3; null if that is not known. */
  readonly shows: string | null;
}

/** The cover images for an output, and what was left out of them, one sentence each. */
export interface PreparedCovers {
  readonly images: readonly CoverImage[];
  readonly warnings: readonly string[];
}

/** Captions that become a track of an output. */
export interface PreparedCaptions {
  readonly captions: Captions;
  /** The track of the input that they come from; null if they are from a file. */
  readonly streamIndex: number | null;
  /** A language code; null if it is not known. */
  readonly language: string | null;
  readonly title: string | null;
  readonly dispositions: readonly TrackDisposition[];
}

/** Captions that are written to files next to an output, with times from its start. */
export interface CaptionRendition {
  readonly captions: Captions;
  /** A language code; null if it is not known. */
  readonly language: string | null;
  /** The name for people. */
  readonly label: string;
  readonly isDefault: boolean;
  readonly isForced: boolean;
}

/** A track of captions in an output. */
export type CaptionTrack = {
  /** The track of the input that they come from; null if they are from a file. */
  readonly streamIndex: number | null;
  /** As three letters; null for none. */
  readonly language: string | null;
  readonly title: string | null;
  readonly dispositions: readonly TrackDisposition[];
} & (
  | {
      readonly from: 'file';
      /** The name of the file in the scratch folder, and what is in it. */
      readonly name: string;
      readonly content: string | Buffer;
      /** The demuxer of ffmpeg that reads it; its packets are copied into the output. */
      readonly demuxer: 'srt' | 'webvtt' | 'ass' | 'mov';
      /** The time of the input that is time 0 of the file, in seconds. A copied clip may have captions before its start. */
      readonly startSeconds: number;
    }
  /** Subtitles that are images, copied from the input. */
  | { readonly from: 'input'; readonly streamIndex: number }
);

/** Captions that are drawn into the video. */
export type BurnedCaptions =
  | {
      readonly from: 'file';
      /** The track of the input that they come from; null if they are from a file. */
      readonly streamIndex: number | null;
      /** The name of their file in the scratch folder, what is in it, and the filter that draws it. */
      readonly name: string;
      readonly content: string;
      readonly filter: 'ass' | 'subtitles';
      /** A folder within the scratch folder with fonts for them; absent if there is none. */
      readonly fontsFolder?: string;
    }
  | {
      /** Subtitles of the input that are images, and where their canvas is in the finished video, in pixels. */
      readonly from: 'input';
      readonly streamIndex: number;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    };

/** Paths of a job. They are absolute, because the steps run in another working directory. */
export interface PlanPaths {
  /** The downloaded input. */
  readonly input: string;
  /** See `MediaFacts`. */
  readonly analysis?: Analysis;
  /** `VideoFacts.reorderSeconds` of an input without audio. */
  readonly reorderSeconds?: number;
  /** Scratch folder of the job; the steps run in it. */
  readonly scratch: string;
  /** Files of outputs by id, if they are not in the scratch folder. */
  readonly files?: ReadonlyMap<number, string>;
}

/** One run of ffmpeg. */
export interface Step {
  /** The ids of the outputs that it encodes. */
  readonly outputIds: readonly number[];
  /** All arguments after the program name, except those that only the runner knows (progress pipe). */
  readonly args: readonly string[];
  /**
   * Those that reserve no space for the index of an MP4, for a run that found it too small (`isIndexTooLarge`). Absent
   * if the step reserves none.
   */
  readonly argsWithoutReserve?: readonly string[];
  /** Duration of the media that it processes, in seconds, for progress; null if unknown. */
  readonly durationSeconds: number | null;
  /** Part of the work for each of its outputs, 0-1. The weights of the steps of one output add up to 1. */
  readonly progressWeight: number;
  /**
   * Frames that the encoder buffers, if ffmpeg's progress counts its input (see `encoderDelayFrames` in
   * `first-pass.ts`); 0 if the progress counts its output.
   */
  readonly encoderDelayFrames: number;
}

/** A file that the steps produce, to be delivered. */
export interface Product {
  readonly outputId: number;
  readonly path: string;
  /** Expected duration in seconds; null if unknown. */
  readonly expectedSeconds: number | null;
  /** Whether the settings of a clip decide where it starts or ends. */
  readonly isClip?: true;
  /**
   * How many seconds must have media: less than expected if its only stream is shorter than the input. Null if unknown.
   */
  readonly contentSeconds: number | null;
  /** Maximum duration in seconds; null if unknown. */
  readonly maxSeconds: number | null;
  /** What was changed or left out for this input, one sentence each. */
  readonly warnings: readonly string[];
  /** How it is cut into segments; absent if it is delivered as one file. */
  readonly packaging?: Packaging;
  /**
   * From which tracks of the input its tracks are made; the video is absent if its length does not follow from that of
   * the input.
   */
  readonly sources?: { readonly video?: TrackSource; readonly audio: readonly TrackSource[] };
  /**
   * How long it would be if the end of the input were not cut off; 0 for a clip with a length. Absent if the input is
   * complete.
   */
  readonly wholeSeconds?: number;
  /**
   * How long the last frame of the input is displayed, if nothing else decides when the output ends. Absent if that is
   * not known.
   */
  readonly heldSeconds?: number;
  /** Expected video stream; null if there should be none. */
  readonly video: ProductVideo | null;
  /** The expected audio streams, in order. */
  readonly audio: readonly ProductAudio[];
  /** The captions to write to files next to it, or next to its segments; absent if there are none. */
  readonly captionRenditions?: readonly CaptionRendition[];
  /** The expected numbers of cover images and of files in it; absent if there should be none. */
  readonly covers?: number;
  readonly attachments?: number;
  /** The expected tracks of captions, in order, and their purposes; absent if there should be none. */
  readonly captionTracks?: readonly Required<Pick<TrackLabels, 'dispositions'>>[];
  /** Set if it should have a timecode. */
  readonly hasTimecode?: true;
  /** From which tracks of its source they are made; absent in files that were not planned. */
  readonly origins?: TrackOrigins;
}

/** What an HDR video declares: its transfer as ffprobe names it, and null for what it does not declare. */
export interface DeclaredHdr {
  readonly transfer: string;
  readonly mastering: MasteringDisplay | null;
  readonly lightLevels: LightLevels | null;
}

/** The expected video stream: codec by its common name (`h264`), size in pixels. */
interface ProductVideo {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Approximate duration of a frame. */
  readonly frameSeconds: number;
  /**
   * Expected number of frames, if it shows more reliably than the duration that the file is complete; otherwise null.
   */
  readonly frames: number | null;
  /**
   * The bitrate to meet and the highest one for the encoder, in Kbps, and the size of the file if that decides instead;
   * absent if it is encoded by quality.
   */
  readonly bitrate?: {
    readonly targetKbps: number;
    readonly capKbps: number | null;
    readonly targetBytes?: number;
  };
  /** What its `quality_target` asks for; absent if something else decides its rate. */
  readonly quality?: TargetQuality;
  /** The video of the input that is copied without encoding; absent if it is encoded. */
  readonly copied?: VideoFacts;
  /** What it declares about its HDR; absent for standard range. */
  readonly hdr?: DeclaredHdr;
  /** What it should declare; its language only if no track of audio declares that. Absent if nothing. */
  readonly labels?: TrackLabels & Pick<VideoFacts, 'stereo3d' | 'projection'>;
}

/** An expected audio stream. */
interface ProductAudio {
  readonly codec: string;
  readonly channels: number;
  /** In Hz. */
  readonly sampleRate: number;
  /** As three letters; absent if the file declares none. */
  readonly language?: string;
  /** What the file declares about it besides its language; absent if nothing. */
  readonly labels?: Pick<TrackLabels, 'title' | 'dispositions'>;
}

/**
 * How much of a track of an output follows from what is read of its source. Units are frames, samples, or packets of a
 * copy.
 */
export interface TrackSource {
  /** The file and the index of the stream: `/scratch/input:1`. */
  readonly stream: string;
  readonly isCopied: boolean;
  /** Units of the output for each one that is read. */
  readonly unitsPerRead: number;
  /** Units of the output per second; null if they are uneven or unknown. */
  readonly unitsPerSecond: number | null;
  /** The part of the input that is wanted. The length is null for all of the rest. */
  readonly startSeconds: number;
  readonly lengthSeconds: number | null;
}

/** A file that the steps read besides the input. */
export interface PlannedFile {
  readonly path: string;
  readonly content: string | Buffer;
  readonly holds: 'captions' | 'metadata';
}

/** How the outputs of a job are encoded from its input. */
export interface Plan {
  readonly steps: readonly Step[];
  /**
   * What to measure first. The steps of these outputs are not final: the plan must be made again with what was
   * measured, and may then ask for another value.
   */
  readonly measurements: readonly PlannedMeasurement[];
  readonly products: readonly Product[];
  /** What the outputs whose quality is measured are compared with. */
  readonly references: readonly PlannedReference[];
  /** The files that the steps read besides the input, to be written before they run. */
  readonly files: readonly PlannedFile[];
  /** Outputs that cannot be encoded from this input, and why. The other outputs are not affected. */
  readonly rejections: readonly OutputRejection[];
}

/** A value that must be measured in the audio of an output before it is encoded. */
export interface PlannedMeasurement {
  readonly outputId: number;
  /** The index of the stream of the input. */
  readonly streamIndex: number;
  readonly measurement: AudioMeasurement;
  /** The arguments of the runs of ffmpeg, in order. The last one reports the value in its log. */
  readonly runs: readonly (readonly string[])[];
}

/** An output that cannot be encoded from this input, and why. */
interface OutputRejection {
  readonly outputId: number;
  readonly failure: JobFailure;
}
