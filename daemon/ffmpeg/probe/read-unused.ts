import { parseLanguage } from '../../../src/shared/text/languages.js';
import { type TrackTag, timecodePattern, type UnusedContent, type UnusedTrack } from '../../jobs/media.js';
import {
  hasDisposition,
  isCover,
  numberAt,
  objectsAt,
  type ProbeObject,
  tagAt,
  textAt,
} from './probe-fields.js';
import { isCodecKnown } from './read-streams.js';
import { maxChapters, plainText } from './read-tags.js';
import type { ProgramSelection } from './select-program.js';

/** Longer lists are cut: a file may declare thousands of tags or tracks. */
const maxItems = 100;

/** The indexes of the video streams with a single frame, and of the audio streams without a packet. */
interface MeasuredStreams {
  readonly stills: ReadonlySet<number>;
  readonly empty: ReadonlySet<number>;
}

/** What is not listed again. */
interface UsedContent {
  /** The indexes of the tracks that outputs are made from. */
  readonly used: ReadonlySet<number>;
  /** The names of the tags that are too long or too many. */
  readonly longTags: readonly string[];
  /** The names of those that ffmpeg cannot read. */
  readonly unreadable: readonly string[];
  readonly trackTags: readonly TrackTag[];
}

/** What a file has besides the tracks that outputs are made from; null if nothing. */
export function readUnused(
  json: ProbeObject,
  { streams, programs }: ProgramSelection,
  { used, longTags, unreadable, trackTags, ...known }: UsedContent & MeasuredStreams,
): UnusedContent | null {
  const chapterCount = objectsAt(json, 'chapters').length;
  const tracks = streams
    .filter((stream) => !used.has(numberAt(stream, 'index') ?? -1) && !isChapterTrack(stream, chapterCount))
    .flatMap((stream) => unusedTrack(stream, known) ?? [])
    .slice(0, maxItems);
  const languages = streams.flatMap(unknownLanguage).slice(0, maxItems);
  const unused: UnusedContent = {
    ...(tracks.length === 0 ? {} : { tracks }),
    ...(chapterCount <= maxChapters ? {} : { chapters: chapterCount - maxChapters }),
    ...(longTags.length === 0 ? {} : { tags: longTags.slice(0, maxItems) }),
    ...(unreadable.length === 0 ? {} : { unreadableTags: unreadable.slice(0, maxItems) }),
    ...(trackTags.length === 0 ? {} : { trackTags }),
    ...(languages.length === 0 ? {} : { languages }),
    ...(programs === null ? {} : { programs: { ...programs, others: programs.others.slice(0, maxItems) } }),
  };
  return Object.keys(unused).length === 0 ? null : unused;
}

function unknownLanguage(stream: ProbeObject): NonNullable<UnusedContent['languages']> {
  const text = plainText(tagAt(stream, 'language') ?? '').slice(0, 100);
  const isNone = /^(?:|un[dk]|unknown|undetermined|undefined|none|\W*)$/i.test(text);
  return isNone || parseLanguage(text) !== null
    ? []
    : [{ streamIndex: numberAt(stream, 'index') ?? 0, text }];
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

function timecodeOf(stream: ProbeObject): Pick<UnusedTrack, 'timecode'> {
  const timecode = tagAt(stream, 'timecode') ?? '';
  return timecodePattern.test(timecode) ? { timecode } : {};
}

function unusedTrack(stream: ProbeObject, { stills, empty }: MeasuredStreams): UnusedTrack | null {
  const streamIndex = numberAt(stream, 'index') ?? 0;
  const codec = textAt(stream, 'codec_name') ?? 'unknown';
  switch (textAt(stream, 'codec_type')) {
    case 'video': {
      if (isCover(stream)) return null;
      if (hasDisposition(stream, 'timed_thumbnails'))
        return { streamIndex, kind: 'data', codec: 'thumbnails' };
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
    case 'data':
      // The navigation of a DVD refers to its own menus and files.
      return isHintTrack(stream) || codec === 'dvd_nav_packet'
        ? null
        : { streamIndex, kind: 'data', codec: dataName(stream), ...timecodeOf(stream) };
    default:
      return null;
  }
}

function reasonOf(stream: ProbeObject, isEmpty: boolean): Pick<UnusedTrack, 'reason'> {
  if (!isCodecKnown(stream)) return { reason: 'unknown-codec' };
  return isEmpty ? { reason: 'empty' } : {};
}
