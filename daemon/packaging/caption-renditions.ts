import { webvttSegments, webvttText } from '../captions/webvtt.js';
import type { CaptionFileFacts, CaptionRenditionFacts } from '../jobs/rendition-facts.js';
import type { CaptionRendition } from '../plan/plan-types.js';
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
 * Writes captions as WebVTT: for HLS in segments with the boundaries of those of the video and a playlist, for DASH in one file. A caption
 * that crosses a boundary is in both segments.
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
      const texts = webvttSegments(rendition.captions, timesOf(segments, packaging.container === 'ts'));
      const names = texts.map((_, number) => `${stem}-${String(number + 1).padStart(5, '0')}.vtt`);
      for (const [number, text] of texts.entries())
        await write(text, `${number + 1}.vtt`, names[number] ?? '');
      const listed = segments.map(({ segment }, number) => ({
        file: names[number] ?? '',
        durationSeconds: segment.durationSeconds,
      }));
      await write(
        mediaPlaylistText({ version: 3, isIndependent: false, segments: listed }),
        'playlist',
        playlist,
      );
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

/**
 * Writes captions as WebVTT files of their own, named `STEM.LANGUAGE.vtt`. A number distinguishes those of one language, and a file from one
 * that `isTaken`.
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

function timesOf(segments: readonly RenditionSegment[], isTransportStream: boolean) {
  const last = segments.at(-1)?.segment;
  return {
    startsMs: segments.map(({ segment }) => segment.startSeconds * 1000),
    endMs: last === undefined ? 0 : (last.startSeconds + last.durationSeconds) * 1000,
    firstPts: isTransportStream ? Math.round(transportStreamStart * ptsPerSecond) : 0,
  };
}
