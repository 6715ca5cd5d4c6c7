import type { ChannelName } from '../../src/shared/settings/channels.js';

/** A fraction such as a sample aspect ratio or a frame rate. */
export interface Ratio {
  readonly numerator: number;
  readonly denominator: number;
}

/** EXIF orientation: how a frame is mirrored and rotated for display. 1 is unchanged; 2, 4, 5 and 7 are mirrored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Whether rotation for display swaps width and height. */
export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5;
}

/** The stored size of a frame, and the shape of its pixels. */
export interface FrameShape {
  /** When it is displayed, in seconds from the start of the input. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly ratio: Ratio;
}

/** The frames with which the shape of a video changes, and the first one. */
export interface FrameShapes {
  readonly frames: readonly FrameShape[];
  /** Whether all times increase, so that they show which shape a frame has. */
  readonly isOrdered: boolean;
}

/** A chromaticity of CIE 1931. */
export type Chromaticity = Readonly<Record<'x' | 'y', number>>;

/** The display that a video was mastered on (SMPTE ST 2086). Luminances are in nits. */
export interface MasteringDisplay {
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
  readonly whitePoint: Chromaticity;
  readonly luminance: Readonly<Record<'min' | 'max', number>>;
}

/** The brightest pixel and the average of the brightest frame (CTA-861.3), in nits. */
export type LightLevels = Readonly<Record<'maxContent' | 'maxAverage', number>>;

/** What an HDR video declares about its frames, as it is in the file. Members are absent if it declares nothing. */
export interface HdrFacts {
  readonly mastering?: MasteringDisplay;
  readonly lightLevels?: LightLevels;
  /** Set if its first frame has metadata of its own (SMPTE ST 2094-40). */
  readonly hasHdr10Plus?: true;
}

/** What a Dolby Vision video declares. Members are absent if it does not. */
export interface DolbyVisionFacts {
  readonly profile?: number;
  /** From 1 to 13, by size and frame rate. */
  readonly level?: number;
  /** Which decoders can display it without Dolby Vision; 0 for none. */
  readonly compatibility?: number;
  /** Set if its codec tag says that only Dolby Vision decoders can display it (`dvh1`, `dvhe`). */
  readonly hasOwnTag?: true;
}

/** The selected video stream of a file, as ffprobe reports it. */
export interface VideoFacts extends Omit<TrackLabels, 'dispositions'> {
  /** Index among all streams of the file, for `-map 0:N`. */
  readonly streamIndex: number;
  readonly codec: string;
  /** Stored pixels, before rotation. */
  readonly width: number;
  readonly height: number;
  /** Width of a pixel divided by its height; 1:1 if the file does not specify it. */
  readonly sampleAspectRatio: Ratio;
  /** Clockwise rotation for display, applied after mirroring. */
  readonly rotationDegrees: 0 | 90 | 180 | 270;
  /** Whether to mirror left and right for display, before the rotation. Absent if not. */
  readonly isMirrored?: boolean;
  /** Average frames per second; null if unknown. */
  readonly frameRate: Ratio | null;
  readonly isFrameRateVariable: boolean;
  /**
   * Set if all frames were read, and their times are those of `frameRate`, rounded to the clock of the file: to
   * milliseconds, or as coarsely as 2 ms.
   */
  readonly hasRoundedTimes?: true;
  /** Absent if unknown. */
  readonly frameCount?: number;
  /**
   * How long after the start of the file ffmpeg displays the first frame, in seconds: its container has no display
   * times, and other frames are decoded before it. Absent if not.
   */
  readonly reorderSeconds?: number;
  /** When the last frame begins and ends, in seconds of the file's timestamps. Absent if it was not measured. */
  readonly lastFrame?: { readonly startSeconds: number; readonly endSeconds: number };
  /**
   * The shapes of frames, if the shape of the pixels changes and the ffmpeg in use gives all frames that of the first.
   * Absent if not.
   */
  readonly shapes?: FrameShapes;
  readonly fieldOrder: 'progressive' | 'top-first' | 'bottom-first' | 'unknown';
  readonly pixelFormat: string | null;
  /** The profile, as ffprobe names it: `High`, `Main 10`, ... Absent if unknown. */
  readonly profile?: string;
  /** The level as the stream stores it: 31 is level 3.1 of H.264, 93 that of HEVC. Absent if unknown. */
  readonly level?: number;
  /** Matrix coefficients, as ffprobe names them: `bt709`, ... Absent if unknown. */
  readonly colourSpace?: string;
  /** Transfer characteristics, as ffprobe names them: `bt709`, `smpte2084` (PQ), ... Absent if unknown. */
  readonly colourTransfer?: string;
  /** Colour primaries, as ffprobe names them: `bt709`, `bt2020`, ... Absent if unknown. */
  readonly colourPrimaries?: string;
  /** Full (pc) or limited (tv) range. Absent if unknown. */
  readonly colourRange?: 'full' | 'limited';
  /** Absent if it is no HDR video, or declares nothing. */
  readonly hdr?: HdrFacts;
  /** Absent if it is no Dolby Vision. */
  readonly dolbyVision?: DolbyVisionFacts;
  /** How its frames hold two views, as ffprobe names it: `side by side`, `top and bottom, inverted`. Absent if not. */
  readonly stereo3d?: string;
  /** What its frames show of all directions, as ffprobe names it: `equirectangular`, ... Absent for a flat video. */
  readonly projection?: string;
  /** Pixels that players cut off at each side of the stored frame; absent if none. ffmpeg does not. */
  readonly borders?: Readonly<Record<'top' | 'bottom' | 'left' | 'right', number>>;
  /** Set if frames may be partly transparent. */
  readonly hasAlpha?: true;
  /** Set if its frames carry closed captions (CEA-608, CEA-708). */
  readonly hasClosedCaptions?: true;
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number | null;
  readonly startSeconds: number | null;
}

/** An audio stream of a file. */
export interface AudioFacts extends TrackLabels {
  readonly streamIndex: number;
  readonly codec: string;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number | null;
  readonly startSeconds: number | null;
  /** Set once it was converted, because its format changes. */
  readonly converted?: ConvertedAudio;
  /** Set if it is no stream of the file, but put together from channels of several. */
  readonly joined?: JoinedAudio;
}

/** Audio that is put together from channels of the streams of a file. */
export interface JoinedAudio {
  /** Its channels, and from which channel of a stream each comes: counted from 0, or null for all of them mixed. */
  readonly channels: readonly {
    readonly name: ChannelName;
    readonly track: AudioFacts;
    readonly channel: number | null;
  }[];
  /** When the last of the streams ends, in seconds from the start of the input; null if unknown. */
  readonly endSeconds: number | null;
}

/** A part of audio with one format. */
export interface AudioPart {
  /** When it starts, in seconds from the start of the input. */
  readonly seconds: number;
  readonly channels: number;
  readonly sampleRate: number;
}

/** Audio whose format changes, converted to stereo at the sample rate of its stream, as a file of its own. */
export interface ConvertedAudio {
  readonly path: string;
  /** Its parts, in order. The file starts where the first of them does. */
  readonly parts: readonly [AudioPart, ...AudioPart[]];
}

/** A subtitle track of a file. */
export interface SubtitleFacts extends TrackLabels {
  readonly streamIndex: number;
  /** As ffprobe names it: `subrip`, `mov_text`, `hdmv_pgs_subtitle`, ... */
  readonly codec: string;
  /** The size of the canvas of images, in pixels. Absent if it is not known, and for text. */
  readonly width?: number;
  readonly height?: number;
}

/** How far ffmpeg reads a file to find the properties of its tracks. */
export interface Analysis {
  readonly seconds: number;
  readonly bytes: number;
}

/** A service of a transport stream. */
export interface ProgramFacts {
  readonly number: number;
  /** Absent if the stream does not name it. */
  readonly name?: string;
}

/** A track of a file that no output has. */
export interface UnusedTrack {
  readonly streamIndex: number;
  readonly kind: 'video' | 'audio' | 'data';
  /** As ffprobe names it, or for data the tag of the container: `tmcd`, `gpmd`, ... */
  readonly codec: string;
  /** That of a track of timecodes; absent if it has none. */
  readonly timecode?: string;
  /** Why it cannot be used: no frame of it was found, its codec is unknown, or it is a still image next to a video. */
  readonly reason?: 'empty' | 'unknown-codec' | 'still';
}

/** An image that a file shows for itself, such as the cover of an album. */
export interface CoverFacts {
  readonly streamIndex: number;
  readonly codec: string;
  /** Its name in Matroska files. */
  readonly fileName?: string;
  readonly title?: string;
  /** What it shows, by the names of ID3: `Cover (front)`, ... */
  readonly shows?: string;
  /** Set if ffprobe found no size: it is damaged, or has more pixels than the limit. */
  readonly hasNoSize?: true;
}

/** A file within a file, such as a font for its subtitles. */
export interface AttachmentFacts {
  readonly streamIndex: number;
  readonly codec: string;
  readonly fileName?: string;
  readonly mimeType?: string;
}

/** The name of a tag of a track or of a chapter, which counts from 1. */
export interface TrackTag {
  readonly streamIndex?: number;
  readonly chapter?: number;
  readonly name: string;
}

/** What a file has besides the tracks that outputs are made from. Members are absent if there is nothing. */
export interface UnusedContent {
  readonly tracks?: readonly UnusedTrack[];
  /** The names of tags that are too long, or too many. */
  readonly tags?: readonly string[];
  /** The names of tags that ffmpeg cannot read. */
  readonly unreadableTags?: readonly string[];
  /** The tags of tracks and chapters, of which outputs have only titles and languages. */
  readonly trackTags?: readonly TrackTag[];
  /** What tracks declare as their language, if it is none that is known. */
  readonly languages?: readonly { readonly streamIndex: number; readonly text: string }[];
  /** How many chapters follow those that are read. */
  readonly chapters?: number;
  /** The chosen programme and the others; absent if the file has fewer than two. */
  readonly programs?: { readonly chosen: ProgramFacts; readonly others: readonly ProgramFacts[] };
}

/** What programs name every track of MP4, which has titles as names of handlers. */
export const genericTitle = /^(?:subtitles?|stereo|mono|surround|core media .*|iso media .*|.*handler?\W*)$/i;

/** A timecode of SMPTE 12M; the frames follow `;` or `.` if frame numbers are dropped to keep up with the clock. */
export const timecodePattern = /^(\d{2}):(\d{2}):(\d{2})([:;.])(\d{2,3})$/;

/** A tag of a file, such as its title. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/**
 * Whether a tag has a name of ID3, WAV or Windows Media, such as `TBPM`. Those keep their case: ffmpeg would write a
 * text without a meaning otherwise. All others are in lower case.
 */
export const isCased = (name: string) => /^(?:[TI][A-Z0-9]{3}|WM\/.*)$/.test(name);

/** A chapter, with times from the start of the file. */
export interface ChapterFacts {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Absent if the file declares none. */
  readonly title?: string;
}

/** What a track is for, by the names of ffmpeg. */
export const trackDispositions = [
  ...(['default', 'forced', 'hearing_impaired', 'visual_impaired', 'comment', 'original', 'dub'] as const),
  'clean_effects',
] as const;
/** One of `trackDispositions`. */
export type TrackDisposition = (typeof trackDispositions)[number];

/** What a file declares about a track. Members are absent if it declares nothing. */
export interface TrackLabels {
  readonly language?: string;
  readonly title?: string;
  readonly dispositions?: readonly TrackDisposition[];
}

/**
 * Properties of a media file: its best video stream, not counting cover art, and its best audio stream. If the file has
 * several programmes, all tracks are of one of them.
 */
export interface MediaFacts {
  /** Container format, one word: `mpeg4`, `matroska`, `webm`, `avi`, ... */
  readonly format: string;
  readonly durationSeconds: number | null;
  readonly totalBitrateKbps: number | null;
  /** The duration that the file declares, if it is wrong; absent if it is right. */
  readonly declaredSeconds?: number;
  /** How long the file was before its end was cut off, by its own header; absent if it is complete. */
  readonly wholeSeconds?: number;
  /**
   * Set if the file consists of recordings that were joined, whose timestamps begin again: a time cannot be sought in
   * it.
   */
  readonly isJoined?: true;
  /** Where the packets of a transport stream are missing for the first time; absent if none are. */
  readonly lossSeconds?: number;
  readonly video: VideoFacts | null;
  readonly audio: AudioFacts | null;
  /** The other audio streams that can be decoded; absent if there are none. */
  readonly otherAudio?: readonly AudioFacts[];
  /** All subtitle tracks in the order of the file; absent if there are none. */
  readonly subtitles?: readonly SubtitleFacts[];
  /** The tags that people or cameras wrote, each name once and in lower case; absent if there are none. */
  readonly tags?: readonly Tag[];
  /** The timecode of its first frame: `01:00:00:00`, or `01:00:00;00` if frame numbers are dropped. Absent if none. */
  readonly timecode?: string;
  /** Its chapters in the order of their times; absent if there are none. */
  readonly chapters?: readonly ChapterFacts[];
  /** The images that it shows for itself; absent if there are none. */
  readonly covers?: readonly CoverFacts[];
  /** The files in it; absent if there are none. */
  readonly attachments?: readonly AttachmentFacts[];
  /** How far ffmpeg has to read the file before it knows tracks that begin late; absent if its default is enough. */
  readonly analysis?: Analysis;
  /** What else the file has; absent if nothing. */
  readonly unused?: UnusedContent;
}

/** The audio streams of a file that can be decoded, in its order. */
export function audioStreams({ audio, otherAudio = [] }: MediaFacts): readonly AudioFacts[] {
  return [...(audio === null ? [] : [audio]), ...otherAudio].toSorted(
    (a, b) => a.streamIndex - b.streamIndex,
  );
}

const rotatedOrientation = { 0: 1, 90: 6, 180: 3, 270: 8 } as const;
const mirroredOrientation = { 0: 2, 90: 7, 180: 4, 270: 5 } as const;

/** The EXIF orientation of a video stream. */
export function orientationOf({ isMirrored = false, rotationDegrees }: VideoFacts): Orientation {
  return (isMirrored ? mirroredOrientation : rotatedOrientation)[rotationDegrees];
}

/** Size of the video after rotation for display, in stored pixels (not scaled to square pixels). */
export function displaySize(video: VideoFacts): { readonly width: number; readonly height: number } {
  return swapsSides(orientationOf(video))
    ? { width: video.height, height: video.width }
    : { width: video.width, height: video.height };
}
