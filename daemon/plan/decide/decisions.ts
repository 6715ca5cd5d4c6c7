import type { ChannelCount, ChannelName } from '../../../src/shared/settings/channels.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type {
  AttachmentFacts,
  AudioFacts,
  ChapterFacts,
  ConvertedAudio,
  JoinedAudio,
  Orientation,
  Ratio,
  Tag,
  TrackDisposition,
  VideoFacts,
} from '../../jobs/media.js';
import type { TrackOrigins } from '../../jobs/tracks.js';
import type { AudioEncoderName } from '../audio-encoders.js';
import type { Level, VideoEncoderName } from '../encoders.js';
import type { Container } from '../formats.js';
import type {
  BurnedCaptions,
  CaptionRendition,
  CaptionTrack,
  CoverImage,
  DeclaredHdr,
  WatermarkImage,
} from '../plan-types.js';
import type { TargetQuality } from '../quality/search-crf.js';
import type { AudioEffects } from './audio-effects.js';
import type { Packaging } from './packaging.js';

/*
 * The decisions for one output, as plain data. Nothing here depends on the arguments of ffmpeg; `../write` creates
 * those.
 */

/** The part of the input that is encoded. */
export interface Clip {
  /** Start, in seconds from the start of the input. */
  readonly startSeconds: number;
  /**
   * Where reading starts: at the start of the clip, or earlier if this format must be decoded from an earlier position.
   */
  readonly readFromSeconds: number;
  /**
   * Whether the clip starts while an earlier frame is still displayed. That frame is read first, and displayed from the
   * start of the clip.
   */
  readonly startsInFrame: boolean;
  /** Maximum duration; null for no limit. */
  readonly lengthSeconds: number | null;
  /** Expected duration; null if the duration of the input is unknown. */
  readonly expectedSeconds: number | null;
}

/** A width and a height in square pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** How the video, after rotation, is scaled and placed on the canvas. */
export interface Fit {
  /** The scaled size; null if the video is not scaled. */
  readonly scaleTo: PixelSize | null;
  /** The size of the output: smaller than the scaled video if it is cropped, larger if bars are added. */
  readonly canvas: PixelSize;
  /**
   * How the scaled video becomes the canvas: unchanged, cropped to its centre, cropped at the edges, or centred between
   * bars.
   */
  readonly by: 'nothing' | 'crop-centre' | 'crop-edge' | 'bars';
}

/**
 * When frames are displayed: at the timestamps of the source, or at a constant rate. `gridRate` is the rate of a source
 * whose timestamps are rounded: each frame is moved to its nearest multiple, counted from the first, so none is lost,
 * and a gap stays a gap.
 */
export type Timing = { readonly gridRate?: Ratio; readonly heldFrame?: HeldFrame } & (
  | {
      readonly by: 'source-timestamps';
      readonly clock: FrameClock;
      readonly dropRules: readonly FrameDropRule[];
    }
  | { readonly by: 'constant-rate'; readonly rate: Ratio }
);

/** Which frames are dropped, while the others keep their timestamps: all but one in `oneOf`, or those above a rate. */
export type FrameDropRule =
  | { readonly by: 'count'; readonly oneOf: number }
  | { readonly by: 'rate'; readonly maxRate: Ratio };

/**
 * The time base of the encoder:
 *
 * - `frames`: whole frames, if they are evenly spaced.
 * - `frame-fractions`: fractions of a frame, in seconds, if evenly spaced frames start between two frames after the
 *   audio.
 * - `fine`: the finest time base, for uneven frames.
 * - `counted`: a number of ticks per second, for an encoder that takes each tick for a frame.
 */
export type FrameClock =
  | { readonly by: 'frames' }
  | { readonly by: 'counted'; readonly perSecond: number }
  | { readonly by: 'frame-fractions'; readonly step: Ratio }
  | { readonly by: 'fine' };

/** The target of the rate control: a quality or a bitrate. */
export type VideoRate =
  | { readonly by: 'quality'; readonly level: Level; readonly passes: 1 | 2 }
  /** A constant rate factor on the scale of the encoder. */
  | { readonly by: 'crf'; readonly factor: number; readonly passes: 1 }
  /** `isConstant` if every period has this bitrate, not only the average. */
  | { readonly by: 'bitrate'; readonly kbps: number; readonly passes: 1 | 2; readonly isConstant?: true };

/** Options of the encoder. Null leaves an option to the encoder. */
export interface CodecOptions {
  readonly profile: string | null;
  readonly level: string | null;
  readonly referenceFrames: number | null;
  readonly bframes: number | null;
  readonly tune: string | null;
  /** Name of the pixel format in ffmpeg, which the profile implies. */
  readonly pixelFormat: string;
}

/** The maximum bitrate: any period has at most the bits of this rate, plus the buffer. */
export interface BitrateCap {
  readonly kbps: number;
  readonly bufferKilobits: number;
}

/** The field order for deinterlacing. */
export type FieldOrderDecision = 'top-first' | 'bottom-first' | 'as-flagged';

/**
 * A watermark on the finished video. The position is in pixels from the top left corner, negative if it starts outside.
 */
export interface Overlay {
  readonly image: WatermarkImage;
  /** Null if the image is not scaled. */
  readonly scaleTo: PixelSize | null;
  readonly x: number;
  readonly y: number;
  readonly matrix: ColourMatrix;
  /** Above 0 and up to 1, which is that of the image. */
  readonly opacity: number;
}

/** The coefficients that convert RGB to luma and chroma. */
export type ColourMatrix = 'bt601' | 'bt709' | 'bt2020' | 'fcc' | 'smpte240m';

/** The colour properties of a video, by names that both the options of ffmpeg and zscale accept. */
export interface Colours {
  readonly primaries: string;
  readonly transfer: string;
  readonly matrix: string;
}

/** The conversion of the input to a matrix, in limited range. */
export interface ColourConversion {
  /** The matrix of the input; `rgb` for RGB video. */
  readonly from: ColourMatrix | 'rgb';
  readonly to: ColourMatrix;
  readonly isFullRange: boolean;
  /** Whether it may have transparency, which is blended onto black. */
  readonly hasAlpha: boolean;
}

/** Which frames are keyframes. */
export interface KeyframeDecision {
  /** Maximum distance between two keyframes, in frames. */
  readonly maxDistance: number;
  /** Whether there are no keyframes besides those at that distance and the forced ones. */
  readonly isFixed: boolean;
  /** Every such frame, counted from the first, is a keyframe; null for none. */
  readonly everyFrames: number | null;
  /** The first frame of each such part of a second is a keyframe. */
  readonly perSecond: readonly number[];
}

/** The filters that change the frames of an output. */
export interface VideoEffects {
  readonly deblocks: boolean;
  readonly denoise: NonNullable<OutputSettings['denoise']> | null;
  /** Whether brightness and colours are spread over the full range. */
  readonly levels: boolean;
  readonly flip: NonNullable<OutputSettings['flip']> | null;
  /** Applied after scaling; all others before it. */
  readonly sharpens: boolean;
}

/** What a video stream declares about its frames. */
export interface Signalling {
  /** The shape of a pixel; null for square. */
  readonly pixelRatio: Ratio | null;
  readonly hasColours: boolean;
  /** Whether luma and chroma have full range, to which they are converted at the end. */
  readonly isFullRange: boolean;
  /** Whether it declares fields, although the frames are progressive. */
  readonly declaresFields: boolean;
  /** Set if captions within the video are removed. */
  readonly dropsCaptions?: true;
}

/** The decisions about the video of an output. */
export interface VideoDecision {
  readonly streamIndex: number;
  /** The codec of the input, by the name of ffprobe. */
  readonly inputCodec: string;
  readonly encoder: VideoEncoderName;
  /** The decoder to use for the input; null for the default of ffmpeg. */
  readonly inputDecoder: string | null;
  /**
   * The first frame, into which later ones of another shape are fitted; null if this pixel format does not allow that.
   */
  readonly firstFrame: VideoFacts | null;
  /** Null for no deinterlacing. */
  readonly deinterlace: FieldOrderDecision | null;
  /** Whether each field becomes a frame, at twice the rate. */
  readonly isFramePerField: boolean;
  /** Whether the frames are interlaced, and stay so. */
  readonly staysInterlaced: boolean;
  /** The orientation to correct. */
  readonly orientation: Orientation;
  /** Whether the input has a display matrix, which ffmpeg would copy although the video is rotated already. */
  readonly hasDisplayMatrix: boolean;
  readonly fit: Fit;
  /** The HDR colours to convert to `colours`; null for no tone mapping. */
  readonly toneMapFrom: Colours | null;
  /** What it declares if it keeps the HDR of the input; absent for standard range. */
  readonly hdr?: DeclaredHdr;
  /**
   * Set if the input declares HDR. ffmpeg would copy that to the output: from frames since 7.0, from the header of the
   * input before.
   */
  readonly dropsHdrData?: true;
  readonly conversion: ColourConversion;
  /** The colours that the output signals. */
  readonly colours: Colours;
  /** In drawing order: the last is on top. */
  readonly watermarks: readonly Overlay[];
  readonly timing: Timing;
  /** Approximate frames per second; null if unknown. */
  readonly framesPerSecond: number | null;
  readonly rate: VideoRate;
  /** What its factor is searched for; absent if it is not. */
  readonly quality?: TargetQuality;
  /** Null for no cap. */
  readonly cap: BitrateCap | null;
  readonly speed: Level;
  readonly codecOptions: CodecOptions;
  readonly keyframes: KeyframeDecision;
  readonly effects: VideoEffects;
  readonly signalling: Signalling;
  /** Absent if no captions are drawn. */
  readonly burned?: BurnedCaptions;
}

/**
 * How channels are mixed: not at all, as those of 5.1, averaged, by position, by order, or as sums of named ones.
 */
export type Mixing =
  | { readonly by: 'nothing' | 'layout' | 'average' | 'positions' }
  | { readonly by: 'order'; readonly channels: number }
  | { readonly by: 'weights'; readonly rows: readonly ChannelWeights[] };

/** The channels that one channel of an output consists of, and their weights. */
export type ChannelWeights = Readonly<Partial<Record<ChannelName, number>>>;

/** The decisions about the audio of an output. */
export interface AudioDecision {
  readonly streamIndex: number;
  /** Set if the audio must be repacked before it can be decoded: how many seconds after the input it starts. */
  readonly repack: { readonly offsetSeconds: number } | null;
  /** Set if it is read from the file of the converted audio. */
  readonly converted?: ConvertedAudio;
  readonly encoder: AudioEncoderName;
  readonly sampleRate: number;
  /** The profile as the encoder names it; null for its default. */
  readonly profile: 'aac_low' | null;
  readonly bitDepth: 16 | 24 | 32;
  readonly channels: ChannelCount;
  readonly mixing: Mixing;
  /** Set if it is put together from channels of several tracks. */
  readonly joined?: JoinedAudio;
  readonly effects: AudioEffects;
  /** Set if silence is added, because a file with so few samples may have none: the sample rate of the input. */
  readonly padding?: { readonly sampleRate: number };
  readonly rate:
    | { readonly by: 'quality'; readonly level: Level }
    /** `isConstant` if every period has this bitrate, as far as the codec allows it. */
    | { readonly by: 'bitrate'; readonly kbps: number; readonly isConstant?: true };
}

/** A last frame, repeated every `frameSeconds` until it ends, in seconds from the start of the output. */
export type HeldFrame = Readonly<Record<'startSeconds' | 'endSeconds' | 'frameSeconds', number>>;

/** The last of unevenly spaced frames. No frame follows it, so its duration must be given. */
export interface LastFrame {
  /** End, in seconds from the start of the output. */
  readonly endSeconds: number;
  /** The number of all frames, with which the output is complete, whatever its duration. Null if unknown. */
  readonly frames: number | null;
}

/** A track of audio in an output, made from a track of the input, and what the file declares about it. */
export interface AudioTrack {
  readonly source: AudioFacts;
  /** Null if it is copied. */
  readonly encoding: AudioDecision | null;
  /** Set if a copy of AAC must lose the headers that each packet has in MPEG streams. */
  readonly stripsAdts?: true;
  /** As three letters; null for none. */
  readonly language: string | null;
  readonly title: string | null;
  /** What it is for; null for that of the input. */
  readonly dispositions: readonly TrackDisposition[] | null;
}

/** The video of the input, copied without encoding. */
export interface CopiedVideo {
  readonly source: VideoFacts;
  /** Whether the parameter sets, which the input stores once, must be put in front of each keyframe. */
  readonly repeatsParameterSets: boolean;
  /** Set if it declares a timecode, which the tags of the output replace. */
  readonly dropsTimecode?: true;
  /** The codec tag that it gets in place of its own; absent to leave it to ffmpeg. */
  readonly tag?: 'hvc1' | 'dvh1';
  /** Set if the container gets a record of Dolby Vision, which ffmpeg writes into MP4 only on request. */
  readonly hasDolbyVision?: true;
}

/** The tags and chapters of an output. Times count from the start of the clip. */
export interface Metadata {
  readonly tags: readonly Tag[];
  readonly chapters: readonly ChapterFacts[];
}

/** A setting that is corrected for this input: its name, the value that is used, and why, as part of a sentence. */
export interface Correction {
  readonly name: keyof OutputSettings;
  readonly value: string;
  readonly reason: string;
}

/** The decisions for one output. */
export interface Decision {
  readonly outputId: number;
  readonly extension: string;
  readonly container: Container;
  readonly clip: Clip;
  /** How many seconds of the clip have media in this output; null if unknown. */
  readonly contentSeconds: number | null;
  /** The video that is encoded; null if there is none, or if it is copied. */
  readonly video: VideoDecision | null;
  /** Absent if no video is copied. */
  readonly copiedVideo?: CopiedVideo;
  /** What the input declares about the video; absent if nothing, or if there is none. */
  readonly videoLabels?: Pick<VideoFacts, 'language' | 'title' | 'stereo3d' | 'projection'>;
  /** The tracks of audio, in order. */
  readonly audio: readonly AudioTrack[];
  /** Set if `target_size` decides the bitrate of the video. */
  readonly targetBytes?: number;
  /** How the file is cut into segments; absent if it is not. */
  readonly packaging?: Packaging;
  /** Whether the file has hint tracks for streaming servers; absent if not. */
  readonly hasHintTracks?: boolean;
  /** Its tracks of captions, in order; absent if there are none. */
  readonly captions?: readonly CaptionTrack[];
  /** Captions that are written to files next to it, or next to its segments; absent if there are none. */
  readonly captionRenditions?: readonly CaptionRendition[];
  /** Its cover images, in order; absent if there are none. */
  readonly covers?: readonly CoverImage[];
  /** The files that are copied from the input, in order; absent if there are none. */
  readonly attachments?: readonly AttachmentFacts[];
  /** Its tags and chapters; absent if it has none. */
  readonly metadata?: Metadata;
  /** How many bytes are reserved in front for its index; null if the file is written again to move it there. */
  readonly indexBytes: number | null;
  readonly origins: TrackOrigins;
  /** Null if the duration of the last frame needs no correction. */
  readonly lastFrame: LastFrame | null;
  /** What was changed or left out for this input, one sentence each. */
  readonly warnings: readonly string[];
}

/** A decision without what follows from the rest of it. */
export type DraftDecision = Omit<Decision, 'indexBytes' | 'lastFrame' | 'origins'>;

/** The audio that an output encodes. */
export function encodedAudio({ audio }: Pick<Decision, 'audio'>): readonly AudioDecision[] {
  return audio.flatMap(({ encoding }) => encoding ?? []);
}

/** Whether an output copies a stream instead of encoding it. */
export function copiesStreams({ audio, copiedVideo }: Pick<Decision, 'audio' | 'copiedVideo'>): boolean {
  return copiedVideo !== undefined || audio.some(({ encoding }) => encoding === null);
}
