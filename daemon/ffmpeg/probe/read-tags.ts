import { languageTag, parseLanguage } from '../../../src/shared/text/languages.js';
import {
  type ChapterFacts,
  genericTitle,
  isCased,
  type Tag,
  type TrackDisposition,
  type TrackLabels,
  type TrackTag,
  timecodePattern,
  trackDispositions,
} from '../../jobs/media.js';
import {
  hasDisposition,
  isTrack,
  numberAt,
  objectAt,
  objectsAt,
  type ProbeObject,
  tagAt,
  textAt,
} from './probe-fields.js';

/** How many chapters of a file are read. */
export const maxChapters = 1000;

/** A file may declare thousands of tags, and texts of megabytes. The record of a job keeps them. */
const maxTags = 100;
const maxLength = 10_000;
const maxTitleLength = 1000;

/**
 * Tags that programs write about themselves, the file and its structure, in lower case, and without a language. Their
 * loss is no loss to anybody: the output has its own.
 */
const technicalTags = [
  /^(?:major_brand|minor_version|compatible_brands|modification_date|duration|timecode|time_base|handler_name|vendor_id)$/,
  /^(?:encoder|encoded_by|encoding_tool|encoder_options|encoding_settings|encoder_settings|writing_application)$/,
  /^(?:tsse|tenc|tlen|tsiz|tflt|id3v2_priv\..*|itunsmpb|itunnorm|playback_requirements|xmp|exif|variant_bitrate)$/,
  // FLV
  /^(?:metadata(?:creator|date)|has(?:video|audio|metadata|keyframes|cuepoints)|cansee?k(?:toend|ontime))$/,
  /^(?:(?:audio|video|data|file)size|last(?:video|audio)?(?:keyframe)?(?:timestamp|location)|total(?:frames|datarate|duration))$/,
  /^(?:(?:audio|video)(?:data|frame|sample)rate|framerate|audiosamplesize|(?:audio|video)codecid|avc(?:profile|level))$/,
  /^(?:aacaot|audiochannels|stereo|moovposition|width|height|purl|pmsg|sourcedata)$/,
  // Windows Media
  /^(?:wmfsdk(?:version|needed)|isvbr|deviceconformancetemplate|aspectratio[xy]|asfleakybucketpairs)$/,
  /^wm\/(?:encodingtime|wmadrc.*|mediaclass.*id|toolname|toolversion|provider(?:style|rating|copyright)?)$/,
  // MXF
  /^(?:uid|(?:generation|product)_uid|umid|(?:material_package|file_package|reel)_umid|operational_pattern_ul|data_type)$/,
  /^(?:company_name|product_(?:name|version|version_num)|toolkit_version(?:_num)?|application_(?:name|platform|version))$/,
  // Android and Apple
  /^com\.android\.(?:version|capture\.fps)$/,
  /^com\.apple\.quicktime\.(?:software|live-photo\..*|content\.identifier|full-frame-rate-playback-intent|player\..*)$/,
  /^com\.apple\.quicktime\.camera\.(?:identifier|framereadouttimeinmicroseconds)$/,
  // Statistics of Matroska
  /^(?:_statistics_.*|bps|number_of_(?:frames|bytes)|source_id)$/,
];

const isTechnical = (name: string) => technicalTags.some((pattern) => pattern.test(name));

/** Names with a prefix that other containers have without it. */
const prefixes: readonly (readonly [RegExp, string])[] = [
  [/^com\.apple\.quicktime\.location\.iso6709$/, 'location'],
  [/^com\.apple\.quicktime\.creationdate$/, 'date'],
  [/^com\.android\.manufacturer$/, 'make'],
  [/^com\.apple\.quicktime\.|^com\.android\.(?=model$)/, ''],
  // ffmpeg puts the type of a target of Matroska before the names of its tags.
  [/^album\/title$/, 'album'],
  [/^album\/artist$/, 'album_artist'],
  [/^(?:movie|episode|concert)\//, ''],
];

/** What a file has of tags. */
interface FoundTags {
  readonly tags: readonly Tag[];
  /** The names of those that are too long or too many. */
  readonly tooLong: readonly string[];
  /** The tags of tracks and chapters besides their titles and languages. */
  readonly ofTracks: readonly TrackTag[];
}

/**
 * The tags that people or cameras wrote: titles, artists, comments, places, times. Ogg has them in its streams, all
 * other containers in the file.
 */
export function readTags(json: ProbeObject): FoundTags {
  const format = objectAt(json, 'format');
  const container = textAt(format, 'format_name') ?? '';
  const streams = objectsAt(json, 'streams');
  const found = new Map<string, string>();
  const ofTracks: TrackTag[] = [];
  const add = (owner: ProbeObject, streamIndex: number | null) => {
    const named = namedTags(owner, container);
    // The same tag may have a second name, such as one with a language: `title-eng`, `title`.
    for (const { own, name, value } of named.toSorted((a, b) => order(a) - order(b))) {
      if (streamIndex !== null && name === 'language') continue;
      const other = found.get(name);
      if (other === undefined) found.set(name, value);
      else if (other === value) continue;
      else if (own !== name && !found.has(own)) found.set(own, value);
      else if (streamIndex !== null) ofTracks.push({ streamIndex, name });
    }
  };
  add(format, null);
  for (const stream of streams) {
    const streamIndex = numberAt(stream, 'index') ?? 0;
    // ffmpeg gives each cover image tags of its own. Tracks of data and attached files are not kept with their tags.
    if (!isTrack(stream)) continue;
    if (container === 'ogg') add(stream, streamIndex);
    else ofTracks.push(...otherNames(stream, container).map((name) => ({ streamIndex, name })));
  }
  objectsAt(json, 'chapters').forEach((chapter, index) => {
    ofTracks.push(...otherNames(chapter, container).map((name) => ({ chapter: index + 1, name })));
  });
  const all = [...found].map(([name, value]) => ({ name, value }));
  const tags = all.filter(({ name, value }) => name.length + value.length <= maxLength).slice(0, maxTags);
  const kept = new Set(tags);
  return {
    tags,
    tooLong: all.filter((tag) => !kept.has(tag)).map(({ name }) => name.slice(0, 100)),
    ofTracks: ofTracks.slice(0, maxTags).map((tag) => ({ ...tag, name: tag.name.slice(0, 100) })),
  };
}

/** A tag by its name in the file, and by that which other containers have for it. */
interface NamedTag {
  readonly own: string;
  readonly name: string;
  readonly value: string;
}

/** Plain names come before those with a prefix or a language. */
const order = ({ own, name }: NamedTag) => Number(own !== name);

function namedTags(owner: ProbeObject, container: string): readonly NamedTag[] {
  const tags = objectAt(owner, 'tags');
  return Object.keys(tags).flatMap((key) => {
    const own = tagName(key, container);
    const name = withoutLanguage(
      prefixes.reduce((text, [prefix, other]) => text.replace(prefix, other), own),
      container,
    );
    const value = plainText(textAt(tags, key) ?? '');
    const isNothing =
      name === '' || value === '' || [own, name].some((one) => isTechnical(one.toLowerCase()));
    return isNothing ? [] : [{ own, name, value }];
  });
}

/** What is kept of tracks and chapters, or named otherwise: how they are called and shown, and the time of MP4. */
const keptOfTracks = ['title', 'language', 'creation_time', 'rotate', 'alpha_mode', 'stereo_mode'];

function otherNames(owner: ProbeObject, container: string): readonly string[] {
  const names = namedTags(owner, container).map(({ name }) => name);
  return [...new Set(names)].filter((name) => !keptOfTracks.includes(name));
}

/** What frames of ID3 hold, by the names that ffmpeg gives them. */
const frameNames: Readonly<Record<string, string>> = {
  ...{ TIT2: 'title', TPE1: 'artist', TPE2: 'album_artist', TALB: 'album', TCOM: 'composer' },
  ...{ TCON: 'genre', TRCK: 'track', TYER: 'date', TDRC: 'date', TCOP: 'copyright', COMM: 'comment' },
};

/**
 * The tags of ID3 that ffmpeg left out: those that it cannot read, such as a text in UTF-16 without a byte order mark, and
 * those that it does not read at all.
 */
export function unreadableTags(json: ProbeObject, stderr: string): readonly string[] {
  const frames = [...stderr.matchAll(/^Error reading frame (\w{3,4}), skipped/gm)];
  const names = frames.map(([, frame = '']) => frameNames[frame] ?? frame.toLowerCase());
  const unread = Array.isArray(json.unread_tags) ? json.unread_tags.map(String) : [];
  return [...new Set([...names, ...unread])].filter((name) => !isTechnical(name));
}

/** A name without what could not be in one. Matroska has all names in upper case, so that its case has no meaning. */
function tagName(key: string, container: string): string {
  const name = key.replace(/[\p{C}=;#\\]/gu, '').trim();
  return /^(?:mp3|wav|asf)$/.test(container) && isCased(name) ? name : name.toLowerCase();
}

/** A name without the language that ffmpeg puts after it, for tags of MP4 and Matroska and for the lyrics of MP3. */
function withoutLanguage(name: string, container: string): string {
  const [, plain = '', code = ''] = /^(.*)-([a-z]{3})$/.exec(name) ?? [];
  const mayHaveOne = /^(?:mov|matroska),/.test(container) || plain === 'lyrics';
  return mayHaveOne && (code === 'und' || languageTag(code) !== code) ? plain : name;
}

/** A text without control characters, except line feeds. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)\p{Cc}|\p{Cs}/gu, '')
    .trim();
}

/** Second names of dispositions. */
const secondNames: Readonly<Partial<Record<TrackDisposition, string>>> = { visual_impaired: 'descriptions' };

/** What a file declares about a track of audio or subtitles. */
export function readLabels(stream: ProbeObject): TrackLabels {
  const language = parseLanguage(tagAt(stream, 'language') ?? '');
  const handler = tagAt(stream, 'handler_name') ?? '';
  const title = plainText(tagAt(stream, 'title') ?? (genericTitle.test(handler) ? '' : handler));
  const dispositions = trackDispositions.filter((name) =>
    [name, secondNames[name] ?? name].some((one) => hasDisposition(stream, one)),
  );
  return {
    ...(language === null ? {} : { language }),
    ...(title === '' ? {} : { title: title.slice(0, maxTitleLength) }),
    ...(dispositions.length === 0 ? {} : { dispositions }),
  };
}

/** The timecode of the first frame: that of a timecode track, of the video, or of the file. Null if there is none. */
export function readTimecode(json: ProbeObject): string | null {
  const owners = [...objectsAt(json, 'streams'), objectAt(json, 'format')];
  const found = owners.flatMap((owner) => tagAt(owner, 'timecode') ?? []);
  return found.find((text) => timecodePattern.test(text)) ?? null;
}

/**
 * The chapters of a file in the order of their times, from the start of the file. A chapter without a length ends where
 * the next one starts. Longer lists are cut: see `maxChapters`.
 */
export function readChapters(json: ProbeObject): readonly ChapterFacts[] {
  const startOfFile = numberAt(objectAt(json, 'format'), 'start_time') ?? 0;
  return objectsAt(json, 'chapters')
    .flatMap((chapter) => {
      const [start, end] = [numberAt(chapter, 'start_time'), numberAt(chapter, 'end_time')];
      if (start === null) return [];
      const title = plainText(tagAt(chapter, 'title') ?? '').slice(0, maxTitleLength);
      return {
        startSeconds: Math.max(0, start - startOfFile),
        endSeconds: Math.max(0, (end ?? start) - startOfFile),
        ...(title === '' ? {} : { title }),
      };
    })
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .slice(0, maxChapters);
}
