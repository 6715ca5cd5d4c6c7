import type { Orientation, Ratio } from '../../jobs/media.js';
import type { AudioEncoderName, Level, VideoEncoderName } from '../encoders.js';
import type { Container } from '../formats.js';
import type { WatermarkImage } from '../plan-types.js';

/*
 * What was decided for one output, as plain data. Nothing here knows how ffmpeg is told; `../write` does.
 */

/** The part of the input that is encoded. */
export interface Clip {
  /** Where it begins, in seconds from the beginning of the input. */
  readonly startSeconds: number;
  /** Where reading begins: there, or earlier where a file of this format has to be decoded from further up. */
  readonly readFromSeconds: number;
  /** Whether it starts while a frame is on screen that began before: the first one that is read, which is shown from the start of the clip. */
  readonly startsInFrame: boolean;
  /** How long it may be; null for all that is left. */
  readonly lengthSeconds: number | null;
  /** How long it will be; null where the input does not tell its length. */
  readonly expectedSeconds: number | null;
}

/** A width and a height in square pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** How the upright picture becomes the picture of the output. */
export interface Fit {
  /** What the picture is scaled to; null where it stays as it is stored. */
  readonly scaleTo: PixelSize | null;
  /** What the output shows: smaller than the scaled picture where it is trimmed, larger where bars are added. */
  readonly canvas: PixelSize;
  /** How the scaled picture gets onto the canvas: the middle of it, in the middle of it, or as it is. */
  readonly by: 'nothing' | 'trim-middle' | 'trim-edge' | 'bars';
}

/** When frames are shown: at their own times, or at an even rate. */
export type Timing =
  | { readonly by: 'own-times'; readonly clock: FrameClock; readonly thinning: readonly Thinning[] }
  | { readonly by: 'even-rate'; readonly rate: Ratio };

/** Which frames are left out, the others keeping their times: all but one of so many, or those beyond a rate. */
export type Thinning =
  | { readonly by: 'count'; readonly oneOf: number }
  | { readonly by: 'rate'; readonly maxRate: Ratio };

/**
 * The steps that times are told in: whole frames where these come evenly; parts of a frame, given in seconds, where the file says
 * so but may be wrong (`mayBeUneven`), or where the picture begins between two frames after the sound; the finest there are where they do not, or so many a second for an encoder that counts them.
 */
export type FrameClock =
  | { readonly by: 'frames' }
  | { readonly by: 'counted'; readonly perSecond: number }
  | { readonly by: 'part-frames'; readonly step: Ratio; readonly mayBeUneven: boolean }
  | { readonly by: 'fine' };

/** How many bits there are: as a quality asks for, or as a bitrate says. */
export type VideoRate =
  | { readonly by: 'quality'; readonly level: Level; readonly passes: 1 | 2 }
  | { readonly by: 'bitrate'; readonly kbps: number; readonly passes: 1 | 2 };

/** What the bits may be at most: in any time no more than the bitrate gives in it, and a buffer on top. */
export interface BitrateCap {
  readonly kbps: number;
  readonly bufferKilobits: number;
}

/** Which fields make a frame, where fields have to be made frames. */
export type FieldOrderDecision = 'top-first' | 'bottom-first' | 'as-flagged';

/** A watermark on the finished picture: whole pixels from its upper left corner, negative where it begins outside. */
export interface Overlay {
  readonly image: WatermarkImage;
  /** Null where it keeps its own size. */
  readonly scaleTo: PixelSize | null;
  readonly x: number;
  readonly y: number;
  readonly matrix: ColourMatrix;
}

/** A rule by which red, green and blue become luma and chroma. */
export type ColourMatrix = 'bt601' | 'bt709' | 'bt2020' | 'fcc' | 'smpte240m';

/** What the numbers of a picture mean, by the names that both ffmpeg's options and zscale know. */
export interface Colours {
  readonly primaries: string;
  readonly transfer: string;
  readonly matrix: string;
}

/** How the numbers of the input's picture become luma and chroma of a matrix, in the range of television. */
export interface ColourConversion {
  /** The matrix of the input; `rgb` where it has red, green and blue. */
  readonly from: ColourMatrix | 'rgb';
  readonly to: ColourMatrix;
  readonly isFullRange: boolean;
  /** Whether it may have transparent parts, which are laid on black. */
  readonly hasAlpha: boolean;
}

/** Everything about the picture of an output. */
export interface VideoDecision {
  readonly streamIndex: number;
  /** What the input's picture is encoded with, as ffprobe calls it. */
  readonly inputCodec: string;
  readonly encoder: VideoEncoderName;
  /** The decoder that the input's picture needs; null where ffmpeg's choice is right. */
  readonly inputDecoder: string | null;
  /** Null where the frames are whole already. */
  readonly deinterlace: FieldOrderDecision | null;
  /** Whether its frames are two fields each, and stay so. */
  readonly staysInterlaced: boolean;
  /** How it is turned and mirrored. */
  readonly orientation: Orientation;
  /** Whether the input says that it has to be turned or mirrored: ffmpeg would copy that to the output, whose picture is upright. */
  readonly hasDisplayMatrix: boolean;
  readonly fit: Fit;
  /** The colours of a picture of high dynamic range that is brought to those of `colours`; null where they stay. */
  readonly toneMapFrom: Colours | null;
  readonly conversion: ColourConversion;
  /** What the output says of its colours. */
  readonly colours: Colours;
  /** The last lies on top. */
  readonly watermarks: readonly Overlay[];
  readonly timing: Timing;
  /** Frames a second, about; null where the input does not tell. */
  readonly framesPerSecond: number | null;
  readonly rate: VideoRate;
  /** Null where there is no limit. */
  readonly cap: BitrateCap | null;
  readonly speed: Level;
  /** Greatest distance between two keyframes, in frames. */
  readonly keyframeInterval: number;
}

/**
 * How the channels of the input become those of the output: as they are (or one on both sides), two averaged to one, more than two
 * by their places, or by their order where they are too many to have places.
 */
export type Mixing =
  | { readonly by: 'nothing' | 'average' | 'places' }
  | { readonly by: 'order'; readonly channels: number };

/** Everything about the sound of an output. */
export interface AudioDecision {
  readonly streamIndex: number;
  /** Set where the sound has to be packed anew before it can be decoded: how many seconds after the input it begins. */
  readonly repack: { readonly offsetSeconds: number } | null;
  readonly encoder: AudioEncoderName;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly mixing: Mixing;
  readonly rate:
    | { readonly by: 'quality'; readonly level: Level }
    | { readonly by: 'bitrate'; readonly kbps: number };
}

/** The last of uneven frames, which goes on being shown: no frame behind it tells how long. */
export interface LastFrame {
  /** When it ends, in seconds from the beginning of the output. */
  readonly endSeconds: number;
  /** The number of all frames: where they are there, nothing was cut short, however long the last one is. Null where it is not known. */
  readonly frames: number | null;
}

/** One output, decided. */
export interface Decision {
  readonly outputId: number;
  readonly extension: string;
  readonly container: Container;
  readonly clip: Clip;
  readonly video: VideoDecision | null;
  readonly audio: AudioDecision | null;
  /** Null where the picture does not end so. */
  readonly lastFrame: LastFrame | null;
}
