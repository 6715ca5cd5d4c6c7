import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { type ChapterFacts, isCased, type MediaFacts, type Ratio, type Tag } from '../../jobs/media.js';
import { type Container, containerOf, type Extension } from '../formats.js';
import { startWithin } from './clip.js';
import type { Clip, Metadata } from './decisions.js';
import { namesSentence } from './left-out.js';
import { timecodeAt } from './timecode.js';

/** What an output has of the tags and chapters of its input, and one sentence for each kind that is left out. */
interface MetadataDecision {
  readonly metadata: Metadata;
  readonly warnings: readonly string[];
}

/** Where a file was recorded, which phones and cameras write, and who bought it. */
const privateTags = {
  location:
    /^(?:(?:.*[._ ])?location.*|gps.*|geo(?:[^a-z].*|(?:tag|loc|lat|lon|lng|pos|coord|point|hash).*)?|.xyz|xyz|loci|(?:lat|long|alt)itude.*)$/i,
  owner: /^(?:account_(?:id|type)|owner|ownr|town|purchase_date)$/i,
} as const;

/** The output whose tags and chapters are decided. */
interface TaggedOutput {
  readonly extension: Extension;
  readonly clip: Clip;
  /** The time of the first frame of a copied clip, in seconds from the start of the input; absent for others. */
  readonly firstFrameSeconds?: number;
  /** The indexes of the streams of the input that it has. */
  readonly streams: readonly number[];
  /** Whether it is cut into segments. */
  readonly isCut: boolean;
  /** Frames per second of its video; null if unknown, or if it has none. */
  readonly frameRate: Ratio | null;
  /** Whether its audio is as loud as that of the input: not mixed, filtered or cut. Null if it has no audio. */
  readonly isAsLoud: boolean | null;
}

/** How loud the audio of a file is, for players that adjust it. */
const loudnessTags = /^(?:replaygain|r128)_/;

/**
 * Decides the tags and chapters of an output. The location is left out unless it is asked for, because it is private.
 * Segments have neither tags nor chapters.
 */
export function decideMetadata(
  { metadata: wanted = 'keep', chapters: wantedChapters = 'keep' }: OutputSettings,
  media: MediaFacts,
  { extension, clip, firstFrameSeconds, streams, isCut, frameRate, isAsLoud }: TaggedOutput,
): MetadataDecision {
  const container = containerOf(extension);
  const given = typeof wanted === 'string' ? [] : Object.entries(wanted);
  const set = new Map(
    given.map(([name, value]) => [
      name.toLowerCase(),
      { name: isCased(name) ? name : name.toLowerCase(), value },
    ]),
  );
  const found =
    wanted === 'drop' ? [] : (media.tags ?? []).filter(({ name }) => !set.has(name.toLowerCase()));
  const isOfOtherAudio = ({ name }: Tag) => isAsLoud !== true && loudnessTags.test(name);
  const ofInput = found.filter((tag) => !isOfOtherAudio(tag));
  const privateOf = (kind: keyof typeof privateTags) =>
    wanted === 'keep-all' ? [] : ofInput.filter(({ name }) => privateTags[kind].test(name));
  const isStored = ({ name }: Tag) => !isCut && storesTag(container, name);
  const kinds = (['location', 'owner'] as const).filter((kind) => privateOf(kind).some(isStored));
  const removed = new Set(kinds.flatMap(privateOf));
  const timecode =
    wanted === 'drop' || set.has('timecode')
      ? null
      : timecodeIn(media, firstFrameSeconds ?? clip.startSeconds, frameRate);
  const keepsTimecode = timecodeMuxers.includes(container.muxer) && !isCut;
  // A track of timecode that is lost is named with the tracks.
  const isTrack = media.unused?.tracks?.some(({ codec }) => codec === 'tmcd') === true;
  const ownTimecode = timecode === null || (isTrack && !keepsTimecode) ? [] : [timecode];
  const asked = [...set.values()].filter(({ value }) => value !== '');
  const candidates = [...ofInput.filter((tag) => !removed.has(tag)), ...ownTimecode, ...asked];
  const tags = candidates.filter((tag) => (tag === timecode ? keepsTimecode : isStored(tag)));
  const inChapters = wantedChapters === 'drop' ? [] : (media.chapters ?? []);
  const chapters =
    isCut || container.hasChapters !== true
      ? []
      : clipChapters(inChapters, clip, container, firstFrameSeconds);
  const endSeconds = media.durationSeconds ?? Number.POSITIVE_INFINITY;
  const isEmpty = (one: ChapterFacts, at: number) =>
    endOf(one, inChapters[at + 1]) - one.startSeconds < minChapterSeconds;
  const where = isCut ? 'segments have no' : `${extension} files have no`;
  const lost = candidates.filter((tag) => !tags.includes(tag) && tag.name !== 'creation_time');
  const tooLong = wanted === 'drop' ? [] : (media.unused?.tags ?? []);
  return {
    metadata: { tags, chapters },
    warnings: [
      ...(isAsLoud === false
        ? namesSentence(
            found.filter(isOfOtherAudio).map(({ name }) => name),
            (names) => `The tags of the input for the volume were left out: ${names} (the audio is changed).`,
          )
        : []),
      ...kinds.map(
        (kind) => `The ${kind} in the tags of the input was left out (metadata: keep-all keeps it).`,
      ),
      ...namesSentence(
        lost.filter((tag) => !asked.includes(tag)).map(({ name }) => name),
        (names) => `The tags of the input were left out: ${names} (${where} place for them).`,
      ),
      ...namesSentence(
        lost.filter((tag) => asked.includes(tag)).map(({ name }) => name),
        (names) => `The tags of metadata were left out: ${names} (${where} place for them).`,
      ),
      ...namesSentence(
        tooLong,
        (names) => `Tags of the input that are too long or too many were left out: ${names}.`,
      ),
      ...namesSentence(
        wanted === 'drop'
          ? []
          : (media.unused?.trackTags ?? [])
              .filter(({ streamIndex }) =>
                streamIndex === undefined ? chapters.length > 0 : streams.includes(streamIndex),
              )
              .map(({ streamIndex, chapter, name }) =>
                streamIndex === undefined
                  ? `${name} (chapter ${chapter})`
                  : `${name} (stream ${streamIndex})`,
              ),
        (names) => `Tags of tracks and chapters of the input were left out: ${names}.`,
      ),
      ...namesSentence(
        wanted === 'drop' ? [] : (media.unused?.unreadableTags ?? []),
        (names) => `Tags of the input that ffmpeg cannot read were left out: ${names}.`,
      ),
      ...(inChapters.length === 0 || media.unused?.chapters === undefined
        ? []
        : [
            `Only the first ${inChapters.length} chapters of the input are kept: it has ${media.unused.chapters} more.`,
          ]),
      ...(isCut || container.hasChapters !== true
        ? []
        : [
            ...namesSentence(
              titlesOf(inChapters, ({ startSeconds }) => startSeconds >= endSeconds),
              (names) => `Chapters that begin after the end of the input were left out: ${names}.`,
            ),
            ...namesSentence(
              titlesOf(inChapters, (one, at) => one.startSeconds < endSeconds && isEmpty(one, at)),
              (names) => `Chapters of the input without a length were left out: ${names}.`,
            ),
          ]),
      ...(inChapters.length === 0 || (!isCut && container.hasChapters === true)
        ? []
        : [
            inChapters.length === 1
              ? `The chapter of the input was left out: ${where} chapters.`
              : `The ${inChapters.length} chapters of the input were left out: ${where} chapters.`,
          ]),
    ],
  };
}

/** The shortest chapter that is kept: a millisecond, which floating point may make shorter. */
const minChapterSeconds = 0.0009;

/** The end of a chapter: its own, or the start of the next one. */
function endOf({ startSeconds, endSeconds }: ChapterFacts, next: ChapterFacts | undefined): number {
  const own = endSeconds > startSeconds ? endSeconds : Number.POSITIVE_INFINITY;
  return Math.min(own, next?.startSeconds ?? Number.POSITIVE_INFINITY);
}

/** The titles, or else numbers, of some chapters. */
function titlesOf(
  chapters: readonly ChapterFacts[],
  isNamed: (chapter: ChapterFacts, at: number) => boolean,
): readonly string[] {
  return chapters.flatMap((chapter, at) => (isNamed(chapter, at) ? (chapter.title ?? `${at + 1}`) : []));
}

/** Whether an output has a timecode. */
export function hasTimecode(metadata: Metadata | undefined): boolean {
  return metadata?.tags.some(({ name }) => name === 'timecode') === true;
}

/** The muxers of containers with a timecode: as a track in MP4 and QuickTime, as a tag in Matroska. */
const timecodeMuxers: readonly string[] = ['mp4', 'mov', 'matroska'];

/** The timecode of the first frame of an output, as a tag; null if that is not known. */
function timecodeIn(media: MediaFacts, startSeconds: number, frameRate: Ratio | null): Tag | null {
  const { timecode, video } = media;
  if (timecode === undefined || video?.frameRate == null || frameRate === null) return null;
  const skippedSeconds = Math.max(0, startSeconds - startWithin(video.startSeconds, media));
  const value = timecodeAt(timecode, skippedSeconds, video.frameRate, frameRate);
  return value === null ? null : { name: 'timecode', value };
}

/** Whether a container stores a tag, so that ffmpeg reads it again under the same name. */
function storesTag({ tags }: Container, name: string): boolean {
  if (tags === undefined) return false;
  return 'only' in tags ? tags.only.includes(name) : !tags.except.includes(name);
}

/** The delay of a first chapter that counts as none: that of the padding of audio. */
const maxDelaySeconds = 0.05;

/** How far, in milliseconds, times of packets may be rounded to the clock of a container. */
const clockMs = 0.1;

/** The muxers of the containers whose chapters are a track of text, which starts with the film. */
const gaplessMuxers: readonly string[] = ['mp4', 'mov', 'ipod', '3gp', '3g2'];

/**
 * The chapters of a clip: those that cross its edges are shortened, and those beyond them left out. A chapter ends where
 * the next one starts, because MP4 has no others. It also has none that starts late, which one with an empty title
 * precedes, and none without a title, which becomes an empty one. Times in a copied clip are rounded up, because one
 * before its frame would belong to the frame before.
 */
function clipChapters(
  chapters: readonly ChapterFacts[],
  clip: Clip,
  { muxer }: Container,
  firstFrameSeconds: number | undefined,
): readonly ChapterFacts[] {
  const begin = firstFrameSeconds ?? clip.startSeconds;
  const shifted = (seconds: number) =>
    firstFrameSeconds === undefined
      ? seconds - clip.startSeconds
      : Math.ceil((seconds - clip.startSeconds) * 1000 + clockMs) / 1000;
  const length = clip.expectedSeconds ?? clip.lengthSeconds ?? Number.POSITIVE_INFINITY;
  const clipped = chapters.flatMap((chapter, index) => {
    const end = endOf(chapter, chapters[index + 1]);
    const startSeconds = chapter.startSeconds <= begin ? 0 : shifted(chapter.startSeconds);
    const endSeconds = Math.min(length, shifted(end));
    return endSeconds - startSeconds < minChapterSeconds || !Number.isFinite(endSeconds)
      ? []
      : [{ ...chapter, startSeconds, endSeconds }];
  });
  if (!gaplessMuxers.includes(muxer)) return clipped;
  const [first, ...others] = clipped;
  if (first === undefined) return [];
  const { startSeconds } = first;
  // Files that begin below zero have their first chapter a few milliseconds after their start.
  const opening =
    startSeconds < maxDelaySeconds
      ? [{ ...first, startSeconds: 0 }]
      : [{ startSeconds: 0, endSeconds: startSeconds }, first];
  return [...opening, ...others].map((chapter) => ({ title: '', ...chapter }));
}
