import type { UnusedContent, UnusedTrack } from '../../jobs/media.js';
import {
  hasDisposition,
  numberAt,
  objectAt,
  objectsAt,
  type ProbeObject,
  tagAt,
  textAt,
} from './probe-fields.js';
import { isCodecKnown } from './read-streams.js';
import type { ProgramSelection } from './select-program.js';

/** Longer lists are cut: a file may declare thousands of tags or tracks. */
const maxItems = 100;

/** The indexes of the video streams with a single frame, and of the audio streams without a packet. */
interface MeasuredStreams {
  readonly stills: ReadonlySet<number>;
  readonly empty: ReadonlySet<number>;
}

/** What a file has besides the tracks that outputs are made from; null if nothing. */
export function readUnused(
  json: ProbeObject,
  { streams, programs }: ProgramSelection,
  { used, ...known }: { readonly used: ReadonlySet<number> } & MeasuredStreams,
): UnusedContent | null {
  const chapterCount = objectsAt(json, 'chapters').length;
  const tracks = streams
    .filter((stream) => !used.has(numberAt(stream, 'index') ?? -1) && !isChapterTrack(stream, chapterCount))
    .flatMap((stream) => unusedTrack(stream, known) ?? [])
    .slice(0, maxItems);
  const tags = readTags(json).slice(0, maxItems);
  const unused: UnusedContent = {
    ...(tracks.length === 0 ? {} : { tracks }),
    ...(chapterCount === 0 ? {} : { chapterCount }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(programs === null ? {} : { programs: { ...programs, others: programs.others.slice(0, maxItems) } }),
  };
  return Object.keys(unused).length === 0 ? null : unused;
}

/** MP4 stores the titles of chapters in a track of text. */
function isChapterTrack(stream: ProbeObject, chapterCount: number): boolean {
  return chapterCount > 0 && textAt(stream, 'codec_type') === 'data' && dataName(stream) === 'text';
}

function dataName(stream: ProbeObject): string {
  const tag = (textAt(stream, 'codec_tag_string') ?? '').trim();
  if (/^[\w-]{3,4}$/.test(tag)) return tag;
  return textAt(stream, 'codec_name') ?? 'unknown';
}

/** Hint tracks describe the packets of other tracks to streaming servers. They have no content of their own. */
const isHintTrack = (stream: ProbeObject) =>
  /^(?:rtp|sm1v)\s*$/.test(textAt(stream, 'codec_tag_string') ?? '');

function unusedTrack(stream: ProbeObject, { stills, empty }: MeasuredStreams): UnusedTrack | null {
  const streamIndex = numberAt(stream, 'index') ?? 0;
  const codec = textAt(stream, 'codec_name') ?? 'unknown';
  switch (textAt(stream, 'codec_type')) {
    case 'video': {
      if (hasDisposition(stream, 'attached_pic') || hasDisposition(stream, 'timed_thumbnails'))
        return { streamIndex, kind: 'cover', codec };
      const isEmpty = (numberAt(stream, 'width') ?? 0) === 0;
      const isStill = stills.has(streamIndex) || numberAt(stream, 'nb_frames') === 1;
      return {
        streamIndex,
        kind: 'video',
        codec,
        ...reasonOf(stream, isEmpty),
        ...(isStill && { reason: 'still' }),
      };
    }
    case 'audio': {
      const isEmpty =
        empty.has(streamIndex) ||
        (numberAt(stream, 'channels') ?? 0) === 0 ||
        (numberAt(stream, 'sample_rate') ?? 0) === 0;
      return { streamIndex, kind: 'audio', codec, ...reasonOf(stream, isEmpty) };
    }
    case 'attachment': {
      const fileName = tagAt(stream, 'filename');
      return { streamIndex, kind: 'attachment', codec, ...(fileName === null ? {} : { fileName }) };
    }
    case 'data':
      // The navigation of a DVD refers to its own menus and files.
      return isHintTrack(stream) || codec === 'dvd_nav_packet'
        ? null
        : { streamIndex, kind: 'data', codec: dataName(stream) };
    default:
      return null;
  }
}

function reasonOf(stream: ProbeObject, isEmpty: boolean): Pick<UnusedTrack, 'reason'> {
  if (!isCodecKnown(stream)) return { reason: 'unknown-codec' };
  return isEmpty ? { reason: 'empty' } : {};
}

/**
 * Tags that programs write about themselves, the file and its structure. Their loss is no loss to anybody: the output
 * has its own.
 */
const technicalTags = [
  /^(?:major_brand|minor_version|compatible_brands|creation_time|modification_date|date_released_iso|duration)$/,
  /^(?:encoder|encoded_by|encoding_tool|encoder_options|encoding_settings|encoder_settings|writing_application)$/,
  /^(?:software|software_version|tool|toolkit_version|application_.*|product_.*|company_name|handler_name|vendor_id)$/,
  /^(?:tsse|tenc|tlen|tsiz|tflt|id3v2_priv\..*|gapless|itunsmpb|itunnorm|replaygain_.*|iswriterid|accurate.*)$/,
  /^(?:has[_a-z]*|cansee?k.*|metadata(?:creator|date)|.*size|last[a-z]*|totalframes|total.*rate|audio.*rate|video.*rate)$/,
  /^(?:wmfsdk.*|isvbr|deviceconformancetemplate|wm\/(?:encodingtime|wmadrc.*|mediaclass.*|toolname|toolversion|provider.*))$/,
  /^(?:.*_?umid|.*uid|generation_.*|timecode|time_reference|time_base|originator.*|origination_.*|coding_history)$/,
  /^(?:com\.android\..*|com\.apple\.quicktime\.(?:software|creationdate|live-photo.*|content\.identifier|.*-version))$/,
  /^(?:com\.apple\.quicktime\.(?:full-frame-rate.*|player\..*|camera\..*)|playback_requirements|xmp|exif)$/,
  /^(?:service_name|service_provider|variant_bitrate|_statistics_.*|bps|number_of_(?:frames|bytes)|source_id|language)$/,
];

/**
 * The names of the tags that people or cameras wrote: titles, artists, comments, places. Ogg has them in its streams,
 * all other containers in the file.
 */
function readTags(json: ProbeObject): readonly string[] {
  const format = objectAt(json, 'format');
  const isOgg = textAt(format, 'format_name') === 'ogg';
  const owners = [format, ...(isOgg ? objectsAt(json, 'streams') : [])];
  const names = owners.flatMap((owner) => {
    const tags = objectAt(owner, 'tags');
    return Object.keys(tags).filter((key) => textAt(tags, key) !== null);
  });
  // The same tag may have a second name with a language: `title-eng`, `title`.
  const plain = names.map((name) => name.toLowerCase().replace(/-[a-z]{3}$/, ''));
  return [...new Set(plain)].filter((name) => !technicalTags.some((pattern) => pattern.test(name)));
}
