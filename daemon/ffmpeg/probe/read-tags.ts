import { languageCode } from '../../../src/shared/text/languages.js';
import {
  type ChapterFacts,
  genericTitle,
  type Tag,
  type TrackDisposition,
  type TrackLabels,
  timecodePattern,
  trackDispositions,
} from '../../jobs/media.js';
import {
  hasDisposition,
  isCover,
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
 * Tags that programs write about themselves, the file and its structure. Their loss is no loss to anybody: the output
 * has its own.
 */
const technicalTags = [
  /^(?:major_brand|minor_version|compatible_brands|modification_date|date_released_iso|duration)$/,
  /^(?:encoder|encoded_by|encoding_tool|encoder_options|encoding_settings|encoder_settings|writing_application)$/,
  /^(?:software|software_version|tool|toolkit_version|application_.*|product_.*|company_name|handler_name|vendor_id)$/,
  /^(?:tsse|tenc|tlen|tsiz|tflt|id3v2_priv\..*|gapless|itunsmpb|itunnorm|iswriterid|accurate.*)$/,
  /^(?:has[_a-z]*|cansee?k.*|metadata(?:creator|date)|.*size|last[a-z]*|totalframes|total.*rate|audio.*rate|video.*rate)$/,
  /^(?:wmfsdk.*|isvbr|deviceconformancetemplate|wm\/(?:encodingtime|wmadrc.*|mediaclass.*|toolname|toolversion|provider.*))$/,
  /^(?:.*_?umid|.*uid|generation_.*|timecode|time_reference|time_base|originator.*|origination_.*|coding_history)$/,
  /^(?:com\.android\..*|creationdate|live-photo.*|content\.identifier|.*-version)$/,
  /^(?:full-frame-rate.*|player\..*|camera\..*|playback_requirements|xmp|exif)$/,
  /^(?:service_name|service_provider|variant_bitrate|_statistics_.*|bps|number_of_(?:frames|bytes)|source_id|language)$/,
];

/** The tags of a file, and the names of those that are too long or too many. */
interface FoundTags {
  readonly tags: readonly Tag[];
  readonly tooLong: readonly string[];
}

/**
 * The tags that people or cameras wrote: titles, artists, comments, places, times. Ogg has them in its streams, all
 * other containers in the file.
 */
export function readTags(json: ProbeObject): FoundTags {
  const format = objectAt(json, 'format');
  const isOgg = textAt(format, 'format_name') === 'ogg';
  // ffmpeg gives each cover image tags of its own.
  const owners = [format, ...(isOgg ? objectsAt(json, 'streams').filter((one) => !isCover(one)) : [])];
  const found = new Map<string, string>();
  for (const owner of owners) {
    const tags = objectAt(owner, 'tags');
    // The same tag may have a second name with a language: `title-eng`, `title`.
    const names = Object.keys(tags).toSorted((a, b) => Number(hasLanguage(a)) - Number(hasLanguage(b)));
    for (const key of names) {
      const name = plainName(key);
      const value = plainText(textAt(tags, key) ?? '');
      if (name === '' || value === '' || found.has(name)) continue;
      if (!technicalTags.some((pattern) => pattern.test(name))) found.set(name, value);
    }
  }
  const all = [...found].map(([name, value]) => ({ name, value }));
  const tags = all.filter(({ name, value }) => name.length + value.length <= maxLength).slice(0, maxTags);
  const kept = new Set(tags);
  return {
    tags,
    tooLong: all.filter((tag) => !kept.has(tag)).map(({ name }) => name.slice(0, 100)),
  };
}

/** What frames of ID3 hold, by the names that ffmpeg gives them. */
const frameNames: Readonly<Record<string, string>> = {
  ...{ TIT2: 'title', TPE1: 'artist', TPE2: 'album_artist', TALB: 'album', TCOM: 'composer' },
  ...{ TCON: 'genre', TRCK: 'track', TYER: 'date', TDRC: 'date', TCOP: 'copyright', COMM: 'comment' },
};

/**
 * The tags that ffmpeg left out because it cannot read them, such as a text in UTF-16 without a byte order mark. It names
 * only those of ID3.
 */
export function unreadableTags(stderr: string): readonly string[] {
  const frames = [...stderr.matchAll(/^Error reading frame (\w{3,4}), skipped/gm)];
  const names = frames.map(([, frame = '']) => frameNames[frame] ?? frame.toLowerCase());
  return [...new Set(names)].filter((name) => !technicalTags.some((pattern) => pattern.test(name)));
}

const hasLanguage = (key: string) => /-[a-z]{3}$/.test(key);

/** A name in lower case, without its language, the prefix of Apple's programs, and what could not be in a name. */
function plainName(key: string): string {
  return key
    .toLowerCase()
    .replace(/-[a-z]{3}$/, '')
    .replace(/^com\.apple\.quicktime\./, '')
    .replace(/^location\.iso6709$/, 'location')
    .replace(/[\p{C}=;#\\]/gu, '')
    .trim();
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
  const language = tagAt(stream, 'language');
  const handler = tagAt(stream, 'handler_name') ?? '';
  const title = plainText(tagAt(stream, 'title') ?? (genericTitle.test(handler) ? '' : handler));
  const dispositions = trackDispositions.filter((name) =>
    [name, secondNames[name] ?? name].some((one) => hasDisposition(stream, one)),
  );
  return {
    ...(language === null || languageCode(language) === null ? {} : { language }),
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
