import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { languageCode } from '../../../src/shared/text/languages.js';
import type { AudioFacts, MediaFacts } from '../../jobs/media.js';
import { type Container, isMatroska } from '../formats.js';
import type { CaptionTrack } from '../plan-types.js';
import { namesSentence } from './left-out.js';

/** The muxers of containers that store the language of audio. */
const languageMuxers: readonly string[] = [
  ...['mp4', 'mov', 'ipod', '3gp', '3g2', 'matroska', 'webm', 'mpegts', 'ogg'],
];

/** Whether a container stores the language of audio. */
export function storesLanguage({ muxer }: Container): boolean {
  return languageMuxers.includes(muxer);
}

/**
 * The language of a track as a file of a container declares it: three letters, in Matroska with the region (`por-BR`).
 * Null for none. No container that ffmpeg writes has scripts.
 */
export function storedLanguage(language: string, container: Container): string | null {
  const code = languageCode(language);
  const region = /^[a-z]{2,3}-([a-z]{2})$/i.exec(language)?.[1];
  return code !== null && region !== undefined && isMatroska(container)
    ? `${code}-${region.toUpperCase()}`
    : code;
}

/** An output whose languages are checked. */
interface LanguageContext {
  readonly isVideo: boolean;
  readonly audio: readonly AudioFacts[];
  /** Its tracks of captions; null if they are in files of their own, which have all of a language. */
  readonly captions: readonly CaptionTrack[] | null;
  readonly container: Container;
  readonly extension: string;
  /** Whether playlists and manifests declare the languages. */
  readonly isPackaged: boolean;
}

/** Names the languages of tracks that an output does not declare, or only in part. */
export function languageWarnings(
  settings: OutputSettings,
  media: MediaFacts,
  { isVideo, audio, captions, container, extension, isPackaged }: LanguageContext,
): readonly string[] {
  const { audio_language: ofRequest } = settings;
  const video = isVideo && media.video !== null ? [media.video] : [];
  const ofAudio = audio.map(({ language }) => (audio.length === 1 ? (ofRequest ?? language) : language));
  const others = [...(captions ?? []), ...video].map(({ language }) => language);
  const tracks = [
    ...video,
    ...(ofRequest === undefined ? audio : []),
    ...(captions ?? media.subtitles ?? []),
  ];
  return [
    ...unknownLanguageWarnings(media, tracks),
    ...(isPackaged
      ? []
      : [
          ...lostLanguageWarnings(settings, audio, container, extension),
          ...lostRegionWarnings([...ofAudio, ...others], { container, extension }),
        ]),
  ];
}

/** Names what tracks of an output declare in the input as their language, and is none that is known. */
function unknownLanguageWarnings(
  { unused }: MediaFacts,
  tracks: readonly { readonly streamIndex: number | null }[],
): readonly string[] {
  const lost = (unused?.languages ?? []).filter((one) =>
    tracks.some(({ streamIndex }) => streamIndex === one.streamIndex),
  );
  return namesSentence(
    lost.map(({ streamIndex, text }) => `stream ${streamIndex} (${text})`),
    (names) =>
      `The language of ${names} of the input was left out: it is no code or English name of a language.`,
  );
}

/** Names the languages of which a file has no region or script. */
function lostRegionWarnings(
  languages: readonly (string | null | undefined)[],
  { container, extension }: { readonly container: Container; readonly extension: string },
): readonly string[] {
  if (!storesLanguage(container)) return [];
  const lost = languages.flatMap((language) => {
    if (language == null) return [];
    const isLost = language.includes('-') && storedLanguage(language, container)?.includes('-') === false;
    return isLost ? [language] : [];
  });
  return namesSentence(
    [...new Set(lost)],
    (names) => `Only the language was kept of ${names}: ${extension} has no place for the region or script.`,
  );
}

/**
 * The language that a file declares for its audio, as three letters; null for none. It is also declared for audio that
 * is copied.
 */
export function decideLanguage(
  { audio_language }: OutputSettings,
  audio: AudioFacts,
  container: Container,
): string | null {
  const language = audio_language ?? audio.language;
  return language === undefined || !storesLanguage(container) ? null : storedLanguage(language, container);
}

/** Names the languages of audio that a file has no place for, unless the request sets one, which is named elsewhere. */
function lostLanguageWarnings(
  { audio_language }: OutputSettings,
  audio: readonly AudioFacts[],
  container: Container,
  extension: string,
): readonly string[] {
  if (storesLanguage(container) || audio_language !== undefined) return [];
  const codes = new Set(audio.flatMap(({ language = '' }) => languageCode(language) ?? []));
  return codes.size === 0
    ? []
    : [
        `The language of the audio was left out: ${[...codes].join(', ')} (${extension} has no place for it).`,
      ];
}
