import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { isSegmented } from '../../../src/shared/settings/segments.js';
import { languageCode, languageName, languageTag } from '../../../src/shared/text/languages.js';
import { withoutExtension } from '../../../src/shared/text/url-text.js';
import type { Captions } from '../../captions/cues.js';
import type { JobFailure } from '../../jobs/job.js';
import type { SubtitleFacts } from '../../jobs/media.js';
import type { Container } from '../formats.js';
import type { Capabilities, CaptionRendition, PreparedCaptions } from '../plan-types.js';
import {
  burn,
  type CaptionContext,
  type DecidedCaptions,
  defaultPosition,
  emptyWarning,
  fileTrack,
  hasCaptionTracks,
  imageTrack,
  lostStyleWarnings,
  withOneDefault,
} from './caption-tracks.js';
import { areImages, clipCaptions, leftOutWarning } from './clip-captions.js';
import { captionsOfSelected, selectSubtitles } from './select-subtitles.js';

/** Whether an output keeps the captions that it can hold. */
export function wantsCaptions({ skip_captions, subtitles }: OutputSettings): boolean {
  return skip_captions !== true && subtitles !== 'drop';
}

/**
 * Where the captions of an output with video go: tracks of its file, the frames, files next to its segments or next to
 * its file, or nowhere.
 */
type CaptionPlace = 'tracks' | 'frames' | 'segments' | 'files' | 'nowhere';

/**
 * Where the captions of an output with video go. Those of a request have files of their own if the container has no
 * tracks for them.
 */
export function captionPlace(settings: OutputSettings, container: Container): CaptionPlace {
  const { subtitles, caption_url: files, copy_video } = settings;
  if (!wantsCaptions(settings)) return 'nowhere';
  // Nothing can be drawn into a copied video, which keeps them as tracks.
  if (subtitles === 'burn' && copy_video !== true) return 'frames';
  if (isSegmented(settings)) return 'segments';
  if (subtitles === 'sidecar') return 'files';
  if (hasCaptionTracks(container)) return 'tracks';
  return files !== undefined && subtitles !== 'keep' ? 'files' : 'nowhere';
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
  const place = captionPlace(settings, container);
  if (place === 'frames') {
    const canBurn = (['ass', 'subtitles'] as const).every((name) => capabilities.filters.has(name));
    return canBurn ? [] : [`${path}.subtitles must not be burn: this ffmpeg was built without libass`];
  }
  if (settings.caption_url === undefined || place !== 'nowhere') return [];
  return [`${path}.subtitles must not be keep: ${extension} has no tracks for captions; use sidecar or burn`];
}

/** Whether the text subtitles of the input are needed for an output with video. */
export function usesSubtitles(settings: OutputSettings, container: Container): boolean {
  const place = captionPlace(settings, container);
  return place !== 'nowhere' && (place !== 'files' || settings.subtitles === 'sidecar');
}

/**
 * The names of the caption files next to the file of an output: those of languages that its request names, and first
 * one that stands for the others.
 */
export function captionFileNames(
  settings: OutputSettings,
  container: Container,
  filename: string,
): readonly string[] {
  if (captionPlace(settings, container) !== 'files') return [];
  const languages = (settings.caption_url ?? []).flatMap(({ language }) => language ?? []);
  return ['*', ...new Set(languages)].map((language) => `${withoutExtension(filename)}.${language}.vtt`);
}

/**
 * The codecs of subtitles that are text, and how ffmpeg writes them to a file: the encoder, and the format of the file.
 */
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

/**
 * Decides the captions of an output with video: those of the input that `subtitle_tracks` selects, then those of files.
 * Fails if it names one that does not exist, in strict mode.
 */
export function decideCaptions(
  settings: OutputSettings,
  prepared: readonly PreparedCaptions[],
  context: CaptionContext,
): DecidedCaptions | { readonly failure: JobFailure } {
  if (settings.subtitle_tracks === undefined || !wantsCaptions(settings))
    return decideSelected(settings, prepared, context);
  const selected = selectSubtitles(settings, context.media);
  if ('failure' in selected) return selected;
  const { subtitles } = selected;
  const { warnings, ...decided } = decideSelected(settings, captionsOfSelected(prepared, subtitles), {
    ...context,
    media: { ...context.media, subtitles },
  });
  return { ...decided, warnings: [...selected.warnings, ...warnings] };
}

/**
 * Decides selected captions. Cues are cut and shifted with the clip. Subtitles that are images are copied into Matroska
 * or drawn into the video, and left out otherwise.
 */
function decideSelected(
  settings: OutputSettings,
  prepared: readonly PreparedCaptions[],
  context: CaptionContext,
): DecidedCaptions {
  const { container, extension, media } = context;
  const subtitles = media.subtitles ?? [];
  const place = captionPlace(settings, container);
  if (place === 'frames') return burn(burnable(settings, prepared, subtitles), context);
  if (place === 'segments') return decideRenditions(prepared, context);
  if (place === 'files' && settings.subtitles === 'sidecar') return decideRenditions(prepared, context);
  const lost = wantsCaptions(settings) ? withoutTracksWarnings(subtitles, extension) : [];
  if (place === 'nowhere') return { tracks: [], warnings: lost };
  if (place === 'files') {
    const ofRequest = { ...context, media: { ...media, subtitles: [] } };
    const { warnings, ...files } = decideRenditions(prepared, ofRequest);
    const reason = `The captions are in files next to the output: ${extension} has no tracks for them.`;
    return { ...files, warnings: [...lost, ...warnings, reason] };
  }
  const ofInput = subtitles.map((facts): DecidedCaptions => {
    const found = prepared.find(({ streamIndex }) => streamIndex === facts.streamIndex);
    if (found !== undefined) return fileTrack(found, context, `${facts.streamIndex}`);
    if (!areImages(facts.codec) || container.muxer !== 'matroska')
      return { tracks: [], warnings: [leftOutWarning(facts, extension)] };
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

/**
 * The captions of which one can be drawn into the video, in order. Unless `subtitle_tracks` selects them, images are
 * drawn only if there is no text.
 */
function burnable(
  { subtitle_tracks: given }: OutputSettings,
  prepared: readonly PreparedCaptions[],
  subtitles: readonly SubtitleFacts[],
): readonly (PreparedCaptions | SubtitleFacts)[] {
  if (given === undefined && prepared.length > 0) return prepared;
  const ofInput = subtitles.flatMap((facts): readonly (PreparedCaptions | SubtitleFacts)[] =>
    areImages(facts.codec)
      ? [facts]
      : prepared.filter(({ streamIndex }) => streamIndex === facts.streamIndex),
  );
  return [...ofInput, ...prepared.filter(({ streamIndex }) => streamIndex === null)];
}

/** The subtitles that a container without tracks for them loses. */
function withoutTracksWarnings(subtitles: readonly SubtitleFacts[], extension: string): readonly string[] {
  const images = subtitles.filter(({ codec }) => areImages(codec));
  return [
    ...(images.length < subtitles.length
      ? [`The subtitles of the input were left out: ${extension} has no tracks for them.`]
      : []),
    ...images.map((facts) => leftOutWarning(facts, extension)),
  ];
}

/**
 * Whether players show captions although their user asks for none: as a file of the request says, or those of the input
 * that are forced and in a language that is spoken in the output. An unknown language may be any.
 */
function isShownAlways(
  { streamIndex, language, dispositions }: PreparedCaptions,
  spoken: CaptionContext['spoken'],
): boolean {
  if (!dispositions.includes('forced')) return false;
  const code = language === null ? null : languageCode(language);
  if (streamIndex === null || code === null) return true;
  return spoken.some((one) => one === undefined || [null, code].includes(languageCode(one)));
}

/** The captions that are written to files next to an output: text of the input, then that of files. */
function decideRenditions(
  prepared: readonly PreparedCaptions[],
  { clip, media, spoken }: CaptionContext,
): DecidedCaptions {
  const lost = (media.subtitles ?? []).filter(
    (facts) => !prepared.some(({ streamIndex }) => streamIndex === facts.streamIndex),
  );
  const all = prepared.map((one) => {
    const { captions, language, title, dispositions } = one;
    const { cues, warnings } = clipCaptions(captions, clip);
    const isForced = isShownAlways(one, spoken);
    const name = languageName(language) ?? 'Subtitles';
    const rendition: Omit<CaptionRendition, 'isDefault'> = {
      captions: { ...captions, cues },
      language: language === null ? null : languageTag(language),
      label: title ?? (dispositions.includes('forced') && !isForced ? `${name} (forced)` : name),
      isForced,
    };
    return {
      ...one,
      rendition,
      warnings: [
        ...warnings,
        ...(cues.length === 0 ? [emptyWarning(one)] : lostStyleWarnings(one, 'webvtt', 'WebVTT')),
      ],
    };
  });
  const found = all.filter(({ rendition }) => rendition.captions.cues.length > 0);
  const chosen = defaultPosition(found);
  return {
    tracks: [],
    ...(found.length === 0
      ? {}
      : { renditions: found.map((one, index) => ({ ...one.rendition, isDefault: index === chosen })) }),
    warnings: [
      ...new Set([
        ...lost.map((facts) => leftOutWarning(facts, 'WebVTT')),
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
      ...(file.hearing_impaired === true ? (['hearing_impaired'] as const) : []),
    ],
  };
}

/** Caption files of an output that has no video only because the input has none. */
export function missingCaptionWarnings(
  settings: OutputSettings,
  { isVideo, wantsVideo }: { readonly isVideo: boolean; readonly wantsVideo: boolean },
): readonly string[] {
  return !isVideo && wantsVideo && settings.caption_url !== undefined && wantsCaptions(settings)
    ? ['There are no captions, because the input has no video.']
    : [];
}
