import { languageTag } from '../../src/shared/text/languages.js';
import type { VideoFacts } from '../jobs/media.js';
import { isHighRange } from '../plan/decide/colours.js';

/** A rendition of audio or subtitles that streams refer to by its group (`#EXT-X-MEDIA`). */
export interface AlternateRendition {
  readonly type: 'AUDIO' | 'SUBTITLES';
  readonly group: string;
  readonly name: string;
  readonly language: string | null;
  readonly isDefault: boolean;
  readonly isAutoselect: boolean;
  readonly isForced?: true;
  /** What it has for people who do not see or hear all (`CHARACTERISTICS`); absent if nothing. */
  readonly characteristics?: string;
  /** The channels of audio; absent if they are not known. */
  readonly channels?: number;
  /** URI of its playlist; null for audio that is in the stream itself. */
  readonly uri: string | null;
}

/** What a stream of a master playlist declares about its media. */
interface StreamMedia {
  /** Peak bits per second over a segment. */
  readonly bandwidth: number;
  /** Null if it was not measured. */
  readonly averageBandwidth: number | null;
  /** As `WxH`; null without video, or if unknown. */
  readonly resolution: string | null;
  /** Names of RFC 6381, comma-separated; null if unknown. */
  readonly codecs: string | null;
  /** Null without video. */
  readonly videoRange: VideoRange | null;
  /** The name of Dolby Vision that players may use instead of the codec; null if it has none. */
  readonly supplementalCodecs: string | null;
}

/** The range of a video, as playlists name it. */
export type VideoRange = 'SDR' | 'PQ' | 'HLG';

/** The range of a video; null without one. */
export function videoRangeOf(video: VideoFacts | null): VideoRange | null {
  if (video === null) return null;
  if (!isHighRange(video)) return 'SDR';
  return video.colourTransfer === 'smpte2084' ? 'PQ' : 'HLG';
}

/** The brands of the formats that Dolby Vision of profile 8 is compatible with. */
const compatibleBrands: Readonly<Record<number, string>> = { 1: 'db1p', 2: 'db2g', 4: 'db4h' };

/** What a stream declares about the range of its video. */
export function rangeOf(video: VideoFacts | null): Pick<StreamMedia, 'videoRange' | 'supplementalCodecs'> {
  const { profile, level, compatibility = 0 } = video?.dolbyVision ?? {};
  const brand = compatibleBrands[compatibility];
  return {
    videoRange: videoRangeOf(video),
    supplementalCodecs:
      profile !== 8 || level === undefined || brand === undefined
        ? null
        : `dvh1.08.${String(level).padStart(2, '0')}/${brand}`,
  };
}

/** A stream of a master playlist (`#EXT-X-STREAM-INF`). */
export interface VariantStream extends StreamMedia {
  /** Written as given: relative to the master playlist, or absolute. */
  readonly uri: string;
  readonly frameRate: number | null;
  /** The groups of its alternate audio and subtitles. */
  readonly audio: string | null;
  readonly subtitles: string | null;
  readonly name: string | null;
  /** Whether the video may contain closed captions. */
  readonly hasClosedCaptions: boolean;
}

/** A playlist of the keyframes of a stream (`#EXT-X-I-FRAME-STREAM-INF`). */
export interface KeyframeStream extends StreamMedia {
  readonly uri: string;
}

/** A master playlist. */
interface MasterPlaylist {
  readonly version: number;
  readonly isIndependent: boolean;
  readonly alternates: readonly AlternateRendition[];
  readonly streams: readonly VariantStream[];
  readonly keyframeStreams: readonly KeyframeStream[];
}

/**
 * The text of a master playlist (RFC 8216, section 4.3.4), with the streams in the given order: players begin with the
 * first.
 */
export function masterPlaylistText(playlist: MasterPlaylist): string {
  const hasClosedCaptions = playlist.streams.some((stream) => stream.hasClosedCaptions);
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${playlist.version}`,
    ...(playlist.isIndependent ? ['#EXT-X-INDEPENDENT-SEGMENTS'] : []),
    ...withDistinctNames(playlist.alternates).map(mediaLine),
    ...playlist.streams.flatMap((stream) => [streamLine(stream, hasClosedCaptions), stream.uri]),
    ...playlist.keyframeStreams.map(keyframeLine),
  ];
  return `${lines.join('\n')}\n`;
}

/** Numbers a second rendition of a group with the same name (RFC 8216, section 4.3.4.1.1): players know them by names. */
function withDistinctNames(renditions: readonly AlternateRendition[]): readonly AlternateRendition[] {
  const taken = new Set<string>();
  return renditions.map((rendition) => {
    const keyOf = (name: string) => `${rendition.type} ${rendition.group} ${name}`;
    let name = rendition.name;
    for (let number = 2; taken.has(keyOf(name)); number += 1) name = `${rendition.name} ${number}`;
    taken.add(keyOf(name));
    return { ...rendition, name };
  });
}

function mediaLine(rendition: AlternateRendition): string {
  const { type, group, name, language, isDefault, isAutoselect, isForced, characteristics, channels, uri } =
    rendition;
  return tag('EXT-X-MEDIA', {
    TYPE: type,
    'GROUP-ID': quoted(group),
    NAME: quoted(name),
    LANGUAGE: language === null ? null : quoted(languageTag(language)),
    DEFAULT: yesOrNo(isDefault),
    // The default is also selected automatically (RFC 8216, section 4.3.4.1).
    AUTOSELECT: yesOrNo(isAutoselect || isDefault),
    FORCED: isForced === true ? 'YES' : null,
    CHARACTERISTICS: characteristics === undefined ? null : quoted(characteristics),
    CHANNELS: channels === undefined ? null : quoted(String(channels)),
    URI: uri === null ? null : quoted(uri),
  });
}

/** If one stream may have closed captions, no stream may deny them (RFC 8216, section 4.3.4.2). */
function streamLine(stream: VariantStream, hasClosedCaptions: boolean): string {
  return tag('EXT-X-STREAM-INF', {
    ...mediaAttributes(stream),
    'FRAME-RATE': stream.frameRate === null ? null : stream.frameRate.toFixed(3),
    AUDIO: stream.audio === null ? null : quoted(stream.audio),
    SUBTITLES: stream.subtitles === null ? null : quoted(stream.subtitles),
    'CLOSED-CAPTIONS': hasClosedCaptions ? null : 'NONE',
    NAME: stream.name === null ? null : quoted(stream.name),
  });
}

function keyframeLine({ uri, ...media }: KeyframeStream): string {
  return tag('EXT-X-I-FRAME-STREAM-INF', { ...mediaAttributes(media), URI: quoted(uri) });
}

function mediaAttributes(media: StreamMedia): Attributes {
  const { bandwidth, averageBandwidth, resolution, codecs, supplementalCodecs, videoRange } = media;
  return {
    BANDWIDTH: String(bandwidth),
    'AVERAGE-BANDWIDTH': averageBandwidth === null ? null : String(averageBandwidth),
    RESOLUTION: resolution,
    CODECS: codecs === null ? null : quoted(codecs),
    'SUPPLEMENTAL-CODECS': supplementalCodecs === null ? null : quoted(supplementalCodecs),
    'VIDEO-RANGE': videoRange,
  };
}

/** Attributes of a tag by name, in order. Those that are null are omitted. */
type Attributes = Readonly<Record<string, string | null>>;

function tag(name: string, attributes: Attributes): string {
  const written = Object.entries(attributes).filter(([, value]) => value !== null);
  return `#${name}:${written.map(([key, value]) => `${key}=${value}`).join(',')}`;
}

/** Quoted strings cannot contain quotes or line breaks, and there is no escape for them. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\r\n]/g, "'")}"`;
}

function yesOrNo(value: boolean): string {
  return value ? 'YES' : 'NO';
}
