import type { InputTrackRecord, OutputTrackRecord, TrackKind } from '../../src/shared/records/media.js';
import {
  type AttachmentFacts,
  audioStreams,
  type CoverFacts,
  type MediaFacts,
  type TrackLabels,
} from './media.js';

/** A track of a file, or all its chapters. */
export interface MediaTrack extends TrackLabels {
  readonly kind: TrackKind;
  /** Null for chapters, which are no stream. */
  readonly streamIndex: number | null;
  readonly codec: string | null;
  /** Channels of audio. */
  readonly channels?: number;
  /** Name of an attached file. */
  readonly fileName?: string;
  /** Number of chapters. */
  readonly count?: number;
}

/** All tracks of a file in its order, then its chapters. */
export function tracksOf(media: MediaFacts): readonly MediaTrack[] {
  const { video, subtitles = [], covers = [], attachments = [], unused, chapters = [] } = media;
  const streams: readonly (MediaTrack & { readonly streamIndex: number })[] = [
    ...(video === null
      ? []
      : [{ kind: 'video' as const, streamIndex: video.streamIndex, codec: video.codec, ...labelsOf(video) }]),
    ...audioStreams(media).map(({ streamIndex, codec, channels, ...facts }) => ({
      ...{ kind: 'audio' as const, streamIndex, codec, channels },
      ...labelsOf(facts),
    })),
    ...subtitles.map(({ streamIndex, codec, ...facts }) => ({
      ...{ kind: 'subtitle' as const, streamIndex, codec },
      ...labelsOf(facts),
    })),
    ...covers.map((cover) => ({
      ...{ kind: 'cover' as const, ...fileFacts(cover) },
      ...(cover.title === undefined ? {} : { title: cover.title }),
    })),
    ...attachments.map((attachment) => ({ kind: 'attachment' as const, ...fileFacts(attachment) })),
    ...(unused?.tracks ?? []).map(({ kind, streamIndex, codec }) => ({ kind, streamIndex, codec })),
  ];
  return [
    ...streams.toSorted((a, b) => a.streamIndex - b.streamIndex),
    ...(chapters.length === 0
      ? []
      : [{ kind: 'chapters' as const, streamIndex: null, codec: null, count: chapters.length }]),
  ];
}

function labelsOf({ language, title, dispositions }: TrackLabels): TrackLabels {
  return {
    ...(language === undefined ? {} : { language }),
    ...(title === undefined ? {} : { title }),
    ...(dispositions === undefined ? {} : { dispositions }),
  };
}

function fileFacts({ streamIndex, codec, fileName }: CoverFacts | AttachmentFacts) {
  return { streamIndex, codec, ...(fileName === undefined ? {} : { fileName }) };
}

/** From which tracks of its source those of an output are made, and what it lacks. */
export interface TrackOrigins {
  /** The streams of the source by kind, in the order of the output; null for captions of a file of the request. */
  readonly video: readonly number[];
  readonly audio: readonly number[];
  readonly subtitles: readonly (number | null)[];
  /** Null for an image of the request. Absent if there are none. */
  readonly covers?: readonly (number | null)[];
  readonly attachments?: readonly number[];
  readonly leftOut: readonly LeftOutTrack[];
}

/** A track of the source that an output lacks, and why. */
export interface LeftOutTrack {
  readonly kind: TrackKind;
  /** Null for chapters. */
  readonly streamIndex: number | null;
  /** A clause. */
  readonly reason: string;
}

/** The tracks of an input, as job details list them. */
export function inputTrackRecords(media: MediaFacts): readonly InputTrackRecord[] {
  const counts = new Map<TrackKind, number>();
  return tracksOf(media).map(({ kind, streamIndex, codec, language, title, dispositions, ...track }) => {
    const position = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, position);
    return {
      ...{ number: numberOf(streamIndex), kind, track: position, codec },
      ...{ language: language ?? null, title: title ?? null, disposition: dispositions ?? [] },
      channels: track.channels ?? null,
      ...(track.fileName === undefined ? {} : { file_name: track.fileName }),
      ...(track.count === undefined ? {} : { count: track.count }),
    };
  });
}

/** The tracks of an output, each with the one that it is made from. */
export function outputTrackRecords(
  media: MediaFacts,
  origins: TrackOrigins | undefined,
): readonly OutputTrackRecord[] {
  const { video = [], audio = [], subtitles = [], covers = [], attachments = [] } = origins ?? {};
  const from: Readonly<Partial<Record<TrackKind, readonly (number | null)[]>>> = {
    ...{ video, audio, subtitle: subtitles, cover: covers, attachment: attachments },
  };
  return inputTrackRecords(media).map((record) => {
    const source = from[record.kind]?.[record.track - 1];
    const isFile = record.kind === 'subtitle' && source === null;
    return { ...record, from: isFile ? 'caption_url' : numberOf(source ?? null) };
  });
}

/** The numbers of the tracks that an output is made from, in the order of their kinds. */
export function originNumbers(origins: TrackOrigins): readonly number[] {
  const { video, audio, subtitles, covers = [], attachments = [] } = origins;
  return [video, audio, subtitles, covers, attachments].flat().flatMap((index) => numberOf(index) ?? []);
}

/** What an output lacks, as job details list it. */
export function leftOutRecords({ leftOut }: TrackOrigins) {
  return leftOut.map(({ kind, streamIndex, reason }) => ({ number: numberOf(streamIndex), kind, reason }));
}

function numberOf(streamIndex: number | null): number | null {
  return streamIndex === null ? null : streamIndex + 1;
}
