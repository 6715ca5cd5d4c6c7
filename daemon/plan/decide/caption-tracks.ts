import { languageCode } from '../../../src/shared/text/languages.js';
import type { Captions } from '../../captions/cues.js';
import { subripText } from '../../captions/subrip.js';
import { assText } from '../../captions/substation.js';
import { timedTextFile } from '../../captions/timed-text.js';
import { webvttText } from '../../captions/webvtt.js';
import type { MediaFacts, SubtitleFacts } from '../../jobs/media.js';
import type { Container } from '../formats.js';
import type { BurnedCaptions, CaptionRendition, CaptionTrack, PreparedCaptions } from '../plan-types.js';
import { placeImages } from './burned-images.js';
import { clipCaptions } from './clip-captions.js';
import type { Clip, VideoDecision } from './decisions.js';

/** The form of the caption tracks of a container, by its muxer. Others have no such tracks. */
const trackForms: Readonly<Record<string, 'tx3g' | 'matroska' | 'webvtt'>> = {
  mp4: 'tx3g',
  mov: 'tx3g',
  matroska: 'matroska',
  webm: 'webvtt',
};

/** Whether a container has tracks of captions. */
export function hasCaptionTracks({ muxer, hasCaptionTracks: isPossible }: Container): boolean {
  return isPossible !== false && Object.hasOwn(trackForms, muxer);
}

/** What an output has to decide its captions. */
export interface CaptionContext {
  readonly container: Container;
  readonly extension: string;
  readonly clip: Clip;
  readonly media: MediaFacts;
  readonly outputId: number;
  /** The video that is encoded; null if it is copied. */
  readonly video: Pick<VideoDecision, 'fit'> | null;
  /** The languages of its audio, or of that of the input if it has none; undefined for one that is not known. */
  readonly spoken: readonly (string | undefined)[];
}

/** The caption tracks of an output, and what was left out, one sentence each. */
export interface DecidedCaptions {
  readonly tracks: readonly CaptionTrack[];
  /** The captions that are written to files next to the output; absent if there are none. */
  readonly renditions?: readonly CaptionRendition[];
  /** The captions that are drawn into the video; absent if there are none. */
  readonly burned?: BurnedCaptions;
  readonly warnings: readonly string[];
}

/** A track of images, which is copied from the input. */
export function imageTrack({ streamIndex, language, title, dispositions = [] }: SubtitleFacts): CaptionTrack {
  return {
    from: 'input',
    streamIndex,
    language: knownLanguage(language),
    title: title ?? null,
    dispositions,
  };
}

const knownLanguage = (language: string | null = null): string | null =>
  language === null || languageCode(language) === null ? null : language;

/** The position of the default track: the last file that the request declares as it, or the first of the input. */
export function defaultPosition(
  tracks: readonly (Pick<SubtitleFacts, 'dispositions'> & { readonly streamIndex: number | null })[],
): number {
  const isDefault = ({ dispositions = [] }: (typeof tracks)[number]) => dispositions.includes('default');
  const ofFiles = tracks.findLastIndex((track) => track.streamIndex === null && isDefault(track));
  return ofFiles === -1 ? tracks.findIndex(isDefault) : ofFiles;
}

/** Players show one default track. */
export function withOneDefault(tracks: readonly CaptionTrack[]): readonly CaptionTrack[] {
  const chosen = defaultPosition(tracks);
  return tracks.map((track, index) =>
    index === chosen
      ? track
      : { ...track, dispositions: track.dispositions.filter((name) => name !== 'default') },
  );
}

/** The track of captions that are text, written to a file for ffmpeg. */
export function fileTrack(
  prepared: PreparedCaptions,
  context: CaptionContext,
  suffix: string,
): DecidedCaptions {
  const { container, clip, outputId } = context;
  const { captions, streamIndex, language, title, dispositions } = prepared;
  const { cues, warnings } = clipCaptions(captions, clip);
  if (cues.length === 0) {
    return { tracks: [], warnings: [...warnings, emptyWarning(prepared)] };
  }
  const { extension, syntax, ...content } = contentOf({ ...captions, cues }, container);
  const name = `captions-${outputId}-${suffix}${extension}`;
  return {
    tracks: [
      {
        ...{ from: 'file', streamIndex, name, ...content, startSeconds: clip.startSeconds },
        ...{ language: knownLanguage(language), title, dispositions },
      },
    ],
    warnings: [
      ...warnings,
      ...styleWarnings(captions),
      ...lostStyleWarnings(prepared, syntax, context.extension),
    ],
  };
}

/** The warning about a track that has no captions in the clip. */
export function emptyWarning(prepared: PreparedCaptions): string {
  return `${nameOf(prepared)} were left out: none is shown in this part of the video.`;
}

/** The subject of a sentence: `The captions in stream 2 of the input (deu, Commentary)`. */
function nameOf({ streamIndex, language, title }: PreparedCaptions): string {
  const labels = [language, title].filter((label) => label !== null).join(', ');
  const where = streamIndex === null ? 'of the request' : `in stream ${streamIndex} of the input`;
  return `The captions ${where}${labels === '' ? '' : ` (${labels})`}`;
}

/** What a cue has in its syntax besides bold, italic and underlined text, which all tracks keep. */
const furtherStyles = {
  subrip: /<font\s[^<>]*color|\{\\/i,
  webvtt: /<(?:c|v|lang|ruby)[\s.>]/,
  ass: /\{[^{}]*\\(?![ibu]\d*\s*[\\}])/,
} as const;

/** The styles of an ASS file that ffmpeg writes for text of another format, and of one that has no styles. */
const plainStyle = /^Style:\s*Default,\s*Arial,/;

/** Whether captions have styles or places that are lost in another syntax. */
function hasFurtherStyles({ syntax, header = '', cues }: Captions): boolean {
  if (syntax === 'webvtt' && cues.some(({ settings }) => settings !== undefined)) return true;
  const written = syntax === 'other' ? 'ass' : syntax;
  const styles = written === 'ass' ? (header.match(/^Style:.*$/gm) ?? []) : [];
  return (
    styles.some((line) => !plainStyle.test(line)) ||
    cues.some(({ raw = '', isDrawing }) => isDrawing === true || furtherStyles[written].test(raw))
  );
}

/** The warning about styles that tracks or files of this syntax do not have. */
export function lostStyleWarnings(
  prepared: PreparedCaptions,
  syntax: Captions['syntax'] | 'tx3g',
  where: string,
): readonly string[] {
  return prepared.captions.syntax === syntax || !hasFurtherStyles(prepared.captions)
    ? []
    : [
        `${nameOf(prepared)} lost colours, fonts or places: in ${where}, only bold, italic and underlined text is kept.`,
      ];
}

/**
 * Readers of ffmpeg find no captions in a file that begins with styles or regions (WebVTT), so tracks have none of
 * these.
 */
function withoutStyles({ header: _, ...captions }: Captions): Captions {
  return captions;
}

function styleWarnings({ syntax, header }: Captions): readonly string[] {
  return syntax === 'webvtt' && header !== undefined
    ? ['The styles and regions of the captions (WebVTT) were left out: tracks have none.']
    : [];
}

/** Draws the default track, or else the first one. The times of filters count from where reading starts. */
export function burn(
  tracks: readonly (PreparedCaptions | SubtitleFacts)[],
  { clip, outputId, media, video }: CaptionContext,
): DecidedCaptions {
  const chosen = tracks[defaultPosition(tracks)] ?? tracks[0];
  if (chosen === undefined)
    return { tracks: [], warnings: ['There are no subtitles that can be burned into the video.'] };
  if (!('captions' in chosen)) {
    if (media.video === null || video === null) return { tracks: [], warnings: [] };
    return { tracks: [], warnings: [], burned: placeImages(chosen, media.video, video.fit) };
  }
  const { captions, streamIndex } = chosen;
  const { cues, warnings } = clipCaptions(captions, clip);
  // A frame whose rounded time was corrected may come up to a millisecond before a cue that begins with it.
  const roundingMs = media.video?.hasRoundedTimes === true ? 1 : 0;
  const skipMs = (clip.startSeconds - clip.readFromSeconds) * 1000 - roundingMs;
  const shifted = {
    ...captions,
    cues: cues.map((cue) => ({
      ...cue,
      startMs: Math.max(0, cue.startMs + skipMs),
      endMs: cue.endMs + skipMs,
    })),
  };
  const name = `burned-${outputId}`;
  const burned: BurnedCaptions =
    captions.syntax === 'ass'
      ? { from: 'file', streamIndex, name: `${name}.ass`, content: assText(shifted), filter: 'ass' }
      : {
          ...{ from: 'file', streamIndex, name: `${name}.vtt`, filter: 'subtitles' },
          content: webvttText(withoutStyles(shifted)),
        };
  return {
    tracks: [],
    warnings: [...warnings, ...styleWarnings(captions)],
    ...(cues.length === 0 ? {} : { burned }),
  };
}

function contentOf(
  captions: Captions,
  { muxer }: Container,
): {
  readonly extension: string;
  readonly demuxer: Extract<CaptionTrack, { from: 'file' }>['demuxer'];
  readonly content: string | Buffer;
  readonly syntax: Captions['syntax'] | 'tx3g';
} {
  const form = trackForms[muxer];
  if (form === 'tx3g')
    return { extension: '.mp4', demuxer: 'mov', syntax: 'tx3g', content: timedTextFile(captions.cues) };
  if (form === 'webvtt')
    return {
      ...{ extension: '.vtt', demuxer: 'webvtt', syntax: 'webvtt' },
      content: webvttText(withoutStyles(captions)),
    };
  return captions.syntax === 'ass'
    ? { extension: '.ass', demuxer: 'ass', syntax: 'ass', content: assText(captions) }
    : { extension: '.srt', demuxer: 'srt', syntax: 'subrip', content: subripText(captions) };
}
