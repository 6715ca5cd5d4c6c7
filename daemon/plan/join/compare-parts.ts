import { audioStreams, type MediaFacts, type VideoFacts } from '../../jobs/media.js';
import { copyableFormats } from '../decide/auto-copies.js';
import { perSecond } from '../decide/timing.js';
import { type Container, canCopy } from '../formats.js';
import type { VideoPackets } from './packet-list.js';

/** A file that is joined with others. */
export interface JoinPart {
  /** What messages call it. */
  readonly name: string;
  readonly path: string;
  readonly media: MediaFacts;
  readonly video: VideoFacts;
  /** Null if its packets have no times, or were not read. */
  readonly packets: VideoPackets | null;
}

/** A property of a part, and its text; parts with the same text agree. */
type Property = readonly [name: string, text: (part: JoinPart) => string];

const properties: readonly Property[] = [
  ['the codec', ({ video }) => video.codec],
  ['the size', ({ video }) => `${video.width}x${video.height}`],
  ['the pixel format', ({ video }) => video.pixelFormat ?? 'unknown'],
  ['the pixel shape', ({ video: { sampleAspectRatio: ratio } }) => `${ratio.numerator}:${ratio.denominator}`],
  [
    'the rotation',
    ({ video }) => `${video.rotationDegrees}${video.isMirrored === true ? ' and mirrored' : ''}`,
  ],
  ['the field order', ({ video }) => video.fieldOrder],
  [
    'the colours',
    ({ video }) =>
      [
        ...[video.colourSpace, video.colourTransfer, video.colourPrimaries].map((name) => name ?? 'unknown'),
        video.colourRange ?? 'limited',
      ].join('/'),
  ],
  ['the profile', ({ video }) => video.profile ?? 'unknown'],
  ['the HDR metadata', ({ video: { hdr, dolbyVision } }) => JSON.stringify([hdr, dolbyVision])],
  ['the time base', ({ packets }) => packets?.timeBase ?? 'unknown'],
  ['the codec headers', ({ packets }) => packets?.headers ?? 'unknown'],
];

/** Values that mean nothing to people are not printed. */
const unprinted: ReadonlySet<string> = new Set(['the codec headers', 'the HDR metadata']);

/** The average rates of parts with variable rates differ a little. The times of all frames are copied. */
const rateTolerance = 0.01;

/**
 * Why the video of the parts cannot be copied into one file, as the end of a sentence: `b.mp4 has the size 1280x720 and
 * a.mp4 1920x1080`. Null if nothing is known that prevents it.
 */
export function whyNotCopied(
  parts: readonly JoinPart[],
  { container, extension }: { readonly container: Container; readonly extension: string },
): string | null {
  const [first] = parts;
  if (first === undefined) return null;
  for (const [property, textOf] of properties)
    for (const part of parts) {
      const [own, wanted] = [textOf(part), textOf(first)];
      if (own === wanted) continue;
      return unprinted.has(property)
        ? `${part.name} and ${first.name} differ in ${property}`
        : `${part.name} has ${property} ${own} and ${first.name} ${wanted}`;
    }
  for (const part of parts) {
    const [own, wanted] = [rateOfPart(part), rateOfPart(first)];
    if (Math.abs(own - wanted) > wanted * rateTolerance)
      return `${part.name} has ${rounded(own)} frames per second and ${first.name} ${rounded(wanted)}`;
  }
  if (!canCopy(container, 'video', first.video.codec))
    return `${extension} does not hold a copy of ${first.video.codec}`;
  const untimed = parts.find(({ media, packets }) => packets === null || !copyableFormats.has(media.format));
  if (untimed !== undefined) return `${untimed.name} does not store the times of its frames`;
  // An edit list hides frames that are needed to decode the others.
  const hiding = parts.find(({ packets }) => packets !== null && packets.startSeconds < -hiddenSeconds);
  return hiding === undefined ? null : `${hiding.name} has frames that are not displayed`;
}

const hiddenSeconds = 0.0005;

const rounded = (rate: number) => String(Math.round(rate * 1000) / 1000);

function rateOfPart({ video: { frameRate } }: JoinPart): number {
  return frameRate === null ? 0 : perSecond(frameRate);
}

/** Which tracks of the parts their joined file has. */
export interface JoinedTracks {
  /** The number of tracks of audio: of each part the first ones, silence for a part without any. */
  readonly audio: number;
  /** The number of tracks of subtitles, of each part the first ones. */
  readonly subtitles: number;
  /** What the parts have and the joined file does not, one sentence each. */
  readonly warnings: readonly string[];
}

/** The tracks of audio of a part, its main one first. */
export function audioOf({ media }: JoinPart): ReturnType<typeof audioStreams> {
  const { audio } = media;
  return [...(audio === null ? [] : [audio]), ...audioStreams(media).filter((track) => track !== audio)];
}

/**
 * Decides which tracks are joined: all tracks of audio if the parts that have any have equally many, else one, and the
 * subtitles if those of all parts have the same codecs and languages.
 */
export function decideTracks(parts: readonly JoinPart[]): JoinedTracks {
  const counts = parts.map((part) => audioOf(part).length).filter((count) => count > 0);
  const audio = new Set(counts).size > 1 ? 1 : (counts[0] ?? 0);
  const kinds = parts.map(({ media: { subtitles = [] } }) =>
    JSON.stringify(subtitles.map(({ codec, language }) => [codec, language])),
  );
  const subtitles = new Set(kinds).size > 1 ? 0 : (parts[0]?.media.subtitles?.length ?? 0);
  return { audio, subtitles, warnings: parts.flatMap((part) => leftOut(part, { audio, subtitles })) };
}

function leftOut(part: JoinPart, kept: Pick<JoinedTracks, 'audio' | 'subtitles'>): readonly string[] {
  const { media, name } = part;
  const others = audioOf(part).length - kept.audio;
  const subtitles = (media.subtitles?.length ?? 0) - kept.subtitles;
  const tracks = (media.unused?.tracks ?? []).filter(({ codec }) => codec !== 'tmcd').length;
  const list = [
    ...(others > 0 ? [`${counted(others, 'track')} of audio, of which the files have unequally many`] : []),
    ...(subtitles > 0
      ? [`${counted(subtitles, 'track')} of subtitles, which the files do not all have alike`]
      : []),
    ...(tracks > 0 ? [`${counted(tracks, 'other track')}`] : []),
    ...(media.covers === undefined ? [] : [counted(media.covers.length, 'cover image')]),
    ...(media.attachments === undefined ? [] : [counted(media.attachments.length, 'attached file')]),
  ];
  return list.map((what) => `${name}: left out ${what}.`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
