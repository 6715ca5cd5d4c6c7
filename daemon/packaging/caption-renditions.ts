import { writeFile } from 'node:fs/promises';
import type { Captions } from '../captions/cues.js';
import { webvttSegments, webvttText } from '../captions/webvtt.js';
import type { RenditionFacts } from '../jobs/job.js';
import type { CaptionFileFacts, CaptionRenditionFacts } from '../jobs/rendition-facts.js';
import { captionSegmentName } from '../plan/decide/packaging.js';
import type { CaptionRendition } from '../plan/plan-types.js';
import { measureRates } from './bitrates.js';
import { mediaPlaylistText } from './media-playlist.js';
import { type PackageOptions, pathWith, writeContent } from './rendition-files.js';
import type { RenditionSegment } from './rendition-playlists.js';
import { transportStreamStart } from './segments.js';
import type { PackagedFile } from './write-segments.js';

/** The files of captions that belong next to segments, and what playlists declare of them. */
interface WrittenCaptions {
  readonly files: readonly PackagedFile[];
  readonly facts: readonly CaptionRenditionFacts[];
}

/** Transport streams count the time of their frames in units of 90 kHz. */
const ptsPerSecond = 90_000;

/**
 * Writes captions as WebVTT: for HLS in segments with the boundaries of those of the video and a playlist, for DASH in
 * one file. A caption that crosses a boundary is in both segments.
 */
export async function writeCaptions(
  options: PackageOptions,
  segments: readonly RenditionSegment[],
): Promise<WrittenCaptions> {
  const { packaging, captions } = options;
  const files: PackagedFile[] = [];
  const facts: CaptionRenditionFacts[] = [];
  for (const [index, rendition] of captions.entries()) {
    const stem = `${packaging.stem}-captions-${tagOf(rendition, captions.slice(0, index))}`;
    const write = async (content: string, suffix: string, name: string) => {
      files.push(
        await writeContent(content, { path: pathWith(options, `captions-${index}-${suffix}`), name }),
      );
    };
    const { language, label, isDefault, isForced } = rendition;
    const playlist = packaging.hasHls ? `${stem}.m3u8` : null;
    const file = packaging.dashProfile === null ? null : `${stem}.vtt`;
    if (playlist !== null) {
      const isTransportStream = packaging.container === 'ts';
      const cut = cutCaptions(rendition.captions, {
        stem,
        segments: segments.map(spanOf),
        isTransportStream,
      });
      for (const [number, { name, text }] of cut.segments.entries())
        await write(text, `${number + 1}.vtt`, name);
      await write(cut.playlist, 'playlist', playlist);
    }
    if (file !== null) await write(webvttText(rendition.captions), 'whole.vtt', file);
    facts.push({
      language,
      label,
      isDefault,
      isForced,
      ...(playlist === null ? {} : { playlist }),
      ...(file === null ? {} : { file }),
    });
  }
  return { files, facts };
}

/** A part of the time of a rendition, in seconds since its start. */
interface Span {
  readonly startSeconds: number;
  readonly durationSeconds: number;
}

/** Captions in segments, each with its name, and their playlist. */
interface CutCaptions {
  readonly segments: readonly { readonly name: string; readonly text: string }[];
  readonly playlist: string;
}

/** Cuts captions into segments of WebVTT. The names of the segments begin with `stem`. */
function cutCaptions(
  captions: Captions,
  {
    stem,
    segments,
    isTransportStream,
  }: {
    readonly stem: string;
    readonly segments: readonly Span[];
    /** Whether the times are those of a transport stream, or count from 0. */
    readonly isTransportStream: boolean;
  },
): CutCaptions {
  const last = segments.at(-1);
  const texts = webvttSegments(captions, {
    startsMs: segments.map(({ startSeconds }) => startSeconds * 1000),
    endMs: last === undefined ? 0 : (last.startSeconds + last.durationSeconds) * 1000,
    firstPts: isTransportStream ? Math.round(transportStreamStart * ptsPerSecond) : 0,
  });
  const named = texts.map((text, index) => ({
    name: captionSegmentName(stem, index),
    text,
  }));
  const listed = segments.map(({ durationSeconds }, index) => ({
    file: named[index]?.name ?? '',
    durationSeconds,
  }));
  return {
    segments: named,
    playlist: mediaPlaylistText({ version: 3, isIndependent: false, segments: listed }),
  };
}

function spanOf({ segment: { startSeconds, durationSeconds } }: RenditionSegment): Span {
  return { startSeconds, durationSeconds };
}

/**
 * Writes the captions of an output that has nothing else: segments of WebVTT, and at `path` their playlist, whose name
 * without the extension is `stem`.
 */
export async function writeCaptionPlaylist(
  captions: CaptionRendition,
  {
    path,
    stem,
    durationSeconds: wholeSeconds,
    segmentSeconds: longestSeconds,
    isTransportStream,
  }: {
    readonly path: string;
    readonly stem: string;
    readonly durationSeconds: number;
    readonly segmentSeconds: number;
    readonly isTransportStream: boolean;
  },
): Promise<{ readonly files: readonly PackagedFile[]; readonly facts: RenditionFacts }> {
  const segmentSeconds = Math.min(longestSeconds, Math.max(wholeSeconds, 1));
  const segments = Array.from(
    { length: Math.max(1, Math.ceil(wholeSeconds / segmentSeconds)) },
    (_, index): Span => ({
      startSeconds: index * segmentSeconds,
      durationSeconds: Math.min(segmentSeconds, wholeSeconds - index * segmentSeconds),
    }),
  );
  const cut = cutCaptions(captions.captions, { stem, segments, isTransportStream });
  const files: PackagedFile[] = [];
  for (const [index, { name, text }] of cut.segments.entries())
    files.push(await writeContent(text, { path: `${path}-${index + 1}.vtt`, name }));
  await writeFile(path, cut.playlist);
  const { language, label, isDefault, isForced } = captions;
  const sizes = files.map(({ sizeBytes }, index) => ({
    sizeBytes,
    durationSeconds: segments[index]?.durationSeconds ?? 0,
  }));
  const { peak, average } = measureRates(sizes, segmentSeconds);
  return {
    files,
    facts: {
      segments: files.length,
      longestSegmentSeconds: Math.min(segmentSeconds, wholeSeconds),
      videoCodec: null,
      audioCodec: null,
      peakBitrate: peak,
      averageBitrate: average,
      isIndependent: false,
      captions: [{ language, label, isDefault, isForced, playlist: `${stem}.m3u8` }],
    },
  };
}

/**
 * Writes captions as WebVTT files of their own, named `STEM.LANGUAGE.vtt`. A number distinguishes those of one
 * language, and a file from one that `isTaken`.
 */
export async function writeCaptionFiles(
  captions: readonly CaptionRendition[],
  {
    stem,
    isTaken,
    ...place
  }: Pick<PackageOptions, 'folder' | 'prefix'> & {
    readonly stem: string;
    readonly isTaken: (name: string) => boolean;
  },
): Promise<readonly (PackagedFile & CaptionFileFacts)[]> {
  const written: (PackagedFile & CaptionFileFacts)[] = [];
  for (const [index, rendition] of captions.entries()) {
    const { language, label } = rendition;
    const isUsed = (name: string) => isTaken(name) || written.some((other) => other.name === name);
    const nameWith = (number: number) =>
      `${stem}.${language ?? 'und'}${number === 1 ? '' : `-${number}`}.vtt`;
    let number = 1;
    while (isUsed(nameWith(number))) number += 1;
    const path = pathWith(place, `captions-${index}`);
    const file = await writeContent(webvttText(rendition.captions), { path, name: nameWith(number) });
    written.push({ ...file, language, label });
  }
  return written;
}

/** The language in the name of captions, with a number if others have the same. */
function tagOf({ language }: CaptionRendition, others: readonly CaptionRendition[]): string {
  const same = others.filter((other) => other.language === language).length;
  const tag = language ?? 'und';
  return same === 0 ? tag : `${tag}-${same + 1}`;
}
