import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { isSegmented } from '../../../src/shared/settings/segments.js';
import { languageCode, languageName } from '../../../src/shared/text/languages.js';
import { type Captions, clipCues } from '../../captions/cues.js';
import { subripText } from '../../captions/subrip.js';
import { assText } from '../../captions/substation.js';
import { timedTextFile } from '../../captions/timed-text.js';
import { webvttText } from '../../captions/webvtt.js';
import type { MediaFacts, SubtitleFacts } from '../../jobs/media.js';
import type { Container } from '../formats.js';
import type {
  BurnedCaptions,
  Capabilities,
  CaptionRendition,
  CaptionTrack,
  PreparedCaptions,
} from '../plan-types.js';
import type { Clip } from './decisions.js';

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

/** Whether an output keeps the captions that it can hold. */
export function wantsCaptions({ skip_captions, subtitles }: OutputSettings): boolean {
  return skip_captions !== true && subtitles !== 'drop';
}

/** The errors of captions that an output with video cannot have. */
export function captionErrors(
  settings: OutputSettings,
  {
    hasVideo,
    container,
    extension,
  }: { readonly hasVideo: boolean } & Pick<CaptionContext, 'container' | 'extension'>,
  capabilities: Capabilities,
  path: string,
): readonly string[] {
  if (!hasVideo || !wantsCaptions(settings)) return [];
  if (settings.subtitles === 'burn') {
    const canBurn = (['ass', 'subtitles'] as const).every((name) => capabilities.filters.has(name));
    return canBurn ? [] : [`${path}.subtitles must not be burn: this ffmpeg was built without libass`];
  }
  if (settings.caption_url === undefined || hasCaptionTracks(container) || isSegmented(settings)) return [];
  return [
    `${path}.caption_url must be omitted: ${extension} has no tracks for captions; use subtitles: burn`,
  ];
}

/** Whether the text subtitles of the input are needed for an output with video. */
export function usesSubtitles(settings: OutputSettings, container: Container): boolean {
  return (
    wantsCaptions(settings) &&
    (settings.subtitles === 'burn' || hasCaptionTracks(container) || isSegmented(settings))
  );
}

/** The codecs of subtitles that are text, and how ffmpeg writes them to a file: the encoder, and the format of the file. */
const textCodecs = {
  subrip: { encoder: 'copy', muxer: 'srt' },
  webvtt: { encoder: 'copy', muxer: 'webvtt' },
  ass: { encoder: 'copy', muxer: 'ass' },
  ssa: { encoder: 'copy', muxer: 'ass' },
  mov_text: { encoder: 'srt', muxer: 'srt' },
  text: { encoder: 'srt', muxer: 'srt' },
  eia_608: { encoder: 'srt', muxer: 'srt' },
} as const;

/** How the subtitles of a codec are written to a file; null if they are not text, or this codec is not supported. */
export function textFormOf(codec: string): (typeof textCodecs)[keyof typeof textCodecs] | null {
  return Object.hasOwn(textCodecs, codec) ? textCodecs[codec as keyof typeof textCodecs] : null;
}

const imageCodecs: readonly string[] = ['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle'];

/** What an output has to decide its captions. */
interface CaptionContext {
  readonly container: Container;
  readonly extension: string;
  readonly clip: Clip;
  readonly media: MediaFacts;
  readonly outputId: number;
}

/** The caption tracks of an output, and what was left out, one sentence each. */
interface DecidedCaptions {
  readonly tracks: readonly CaptionTrack[];
  /** The captions that are written next to segments; absent if there are none. */
  readonly renditions?: readonly CaptionRendition[];
  /** The captions that are drawn into the video; absent if there are none. */
  readonly burned?: BurnedCaptions;
  readonly warnings: readonly string[];
}

/**
 * Decides the caption tracks of an output with video: those of the input in its order, then those of files. Cues are cut and shifted with
 * the clip. Subtitles that are images are copied into Matroska and left out of other containers.
 */
export function decideCaptions(
  settings: OutputSettings,
  prepared: readonly PreparedCaptions[],
  context: CaptionContext,
): DecidedCaptions {
  if (!wantsCaptions(settings)) return { tracks: [], warnings: [] };
  if (settings.subtitles === 'burn') return burn(prepared, context);
  if (isSegmented(settings)) return decideRenditions(prepared, context);
  const { container, extension, media } = context;
  const subtitles = media.subtitles ?? [];
  if (!hasCaptionTracks(container)) {
    const message = `The subtitles of the input were left out: ${extension} has no tracks for them.`;
    return { tracks: [], warnings: subtitles.length === 0 ? [] : [message] };
  }
  const ofInput = subtitles.map((facts): DecidedCaptions => {
    const found = prepared.find(({ streamIndex }) => streamIndex === facts.streamIndex);
    if (found !== undefined) return fileTrack(found, context, `${facts.streamIndex}`);
    if (!imageCodecs.includes(facts.codec) || container.muxer !== 'matroska')
      return { tracks: [], warnings: [leftOut(facts, extension)] };
    return { tracks: [imageTrack(facts)], warnings: [] };
  });
  const ofFiles = prepared
    .filter(({ streamIndex }) => streamIndex === null)
    .map((one, index) => fileTrack(one, context, `file-${index}`));
  const all = [...ofInput, ...ofFiles];
  return {
    tracks: withOneDefault(all.flatMap(({ tracks }) => tracks)),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
  };
}

/** The captions that are written next to the segments of an output: text of the input, then that of files. */
function decideRenditions(
  prepared: readonly PreparedCaptions[],
  { clip, media, extension }: CaptionContext,
): DecidedCaptions {
  const lost = (media.subtitles ?? []).filter(
    (facts) => !prepared.some(({ streamIndex }) => streamIndex === facts.streamIndex),
  );
  const all = prepared.map(({ captions, language, title, dispositions }) => {
    const { cues, warnings } = clipped(captions, clip);
    const rendition: CaptionRendition = {
      captions: { ...captions, cues },
      language,
      label: title ?? languageName(language) ?? 'Subtitles',
      isDefault: dispositions.includes('default'),
      isForced: dispositions.includes('forced'),
    };
    return { rendition, warnings };
  });
  const renditions = all.map(({ rendition }) => rendition).filter(({ captions }) => captions.cues.length > 0);
  const last = renditions.findLastIndex(({ isDefault }) => isDefault);
  return {
    tracks: [],
    ...(renditions.length === 0
      ? {}
      : { renditions: renditions.map((one, index) => ({ ...one, isDefault: index === last })) }),
    warnings: [
      ...new Set([
        ...lost.map((facts) => leftOut(facts, extension)),
        ...all.flatMap(({ warnings }) => warnings),
      ]),
    ],
  };
}

/** The captions of a file of `caption_url`, with what the request says about their track. */
export function captionsOfFile(
  file: NonNullable<OutputSettings['caption_url']>[number],
  captions: Captions,
): PreparedCaptions {
  const language = file.language ?? captions.language;
  return {
    captions,
    streamIndex: null,
    language,
    title: file.label ?? languageName(language),
    dispositions: [
      ...(file.default === true ? (['default'] as const) : []),
      ...(file.forced === true ? (['forced'] as const) : []),
    ],
  };
}

function imageTrack({ streamIndex, language, title, dispositions = [] }: SubtitleFacts): CaptionTrack {
  const code = language === undefined ? null : languageCode(language);
  return { from: 'input', streamIndex, language: code, title: title ?? null, dispositions };
}

function leftOut({ streamIndex, codec }: SubtitleFacts, extension: string): string {
  const reason = imageCodecs.includes(codec)
    ? `they are images, which ${extension} does not support`
    : 'their format is not supported, or they cannot be read';
  return `The subtitles in stream ${streamIndex} of the input (${codec}) were left out: ${reason}.`;
}

/** Players show one default track. A file that is declared as the default replaces that of the input. */
function withOneDefault(tracks: readonly CaptionTrack[]): readonly CaptionTrack[] {
  const last = tracks.findLastIndex(({ dispositions }) => dispositions.includes('default'));
  return tracks.map((track, index) =>
    index === last
      ? track
      : { ...track, dispositions: track.dispositions.filter((name) => name !== 'default') },
  );
}

function fileTrack(
  { captions, language, title, dispositions }: PreparedCaptions,
  { container, clip, outputId }: CaptionContext,
  suffix: string,
): DecidedCaptions {
  const { cues, warnings } = clipped(captions, clip);
  if (cues.length === 0) {
    const message = 'A track without captions in this part of the video was left out.';
    return { tracks: [], warnings: [...warnings, message] };
  }
  const { extension, ...content } = contentOf({ ...captions, cues }, container);
  const name = `captions-${outputId}-${suffix}${extension}`;
  const code = language === null ? null : languageCode(language);
  return { tracks: [{ from: 'file', name, ...content, language: code, title, dispositions }], warnings };
}

/** Draws the default track, or else the first one. The times of filters count from where reading starts. */
function burn(prepared: readonly PreparedCaptions[], { clip, outputId }: CaptionContext): DecidedCaptions {
  const chosen = prepared.findLast(({ dispositions }) => dispositions.includes('default')) ?? prepared[0];
  if (chosen === undefined)
    return { tracks: [], warnings: ['There are no text subtitles to burn into the video.'] };
  const { captions } = chosen;
  const { cues, warnings } = clipped(captions, clip);
  const skipMs = (clip.startSeconds - clip.readFromSeconds) * 1000;
  const shifted = {
    ...captions,
    cues: cues.map((cue) => ({ ...cue, startMs: cue.startMs + skipMs, endMs: cue.endMs + skipMs })),
  };
  const name = `burned-${outputId}`;
  const burned: BurnedCaptions =
    captions.syntax === 'ass'
      ? { name: `${name}.ass`, content: assText(shifted), filter: 'ass' }
      : { name: `${name}.vtt`, content: webvttText(shifted), filter: 'subtitles' };
  return { tracks: [], warnings, ...(cues.length === 0 ? {} : { burned }) };
}

/** The captions of a clip, and what was cut. */
function clipped(
  { cues: all, warnings }: Captions,
  clip: Clip,
): { readonly cues: Captions['cues']; readonly warnings: readonly string[] } {
  const startMs = clip.startSeconds * 1000;
  const lengthSeconds = clip.expectedSeconds ?? clip.lengthSeconds;
  const endMs = startMs + (lengthSeconds === null ? maxLengthMs : lengthSeconds * 1000);
  // A caption of `venc plan`, which does not read them, has no end.
  const isBeyondEnd =
    clip.lengthSeconds === null &&
    all.some((cue) => Number.isFinite(cue.endMs) && cue.endMs > endMs + toleranceMs);
  return {
    cues: clipCues(all, startMs, endMs),
    warnings: [...warnings, ...(isBeyondEnd ? ['Captions after the end of the video were cut.'] : [])],
  };
}

/** 100 hours: the length of a video whose length is not known. Times in MP4 are limited. */
const maxLengthMs = 360_000_000;

/** Captions often end a little after the video. */
const toleranceMs = 1000;

function contentOf(
  captions: Captions,
  { muxer }: Container,
): {
  readonly extension: string;
  readonly demuxer: Extract<CaptionTrack, { from: 'file' }>['demuxer'];
  readonly content: string | Buffer;
} {
  const form = trackForms[muxer];
  if (form === 'tx3g') return { extension: '.mp4', demuxer: 'mov', content: timedTextFile(captions.cues) };
  if (form === 'webvtt') return { extension: '.vtt', demuxer: 'webvtt', content: webvttText(captions) };
  return captions.syntax === 'ass'
    ? { extension: '.ass', demuxer: 'ass', content: assText(captions) }
    : { extension: '.srt', demuxer: 'srt', content: subripText(captions) };
}
