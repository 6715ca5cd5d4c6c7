import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { languageCode } from '../../../src/shared/text/languages.js';
import type { AudioFacts } from '../../jobs/media.js';
import type { Container } from '../formats.js';

/** The muxers of containers that store the language of audio. */
const languageMuxers: readonly string[] = [
  ...['mp4', 'mov', 'ipod', '3gp', '3g2', 'matroska', 'webm', 'mpegts'],
];

/** Whether a container stores the language of audio. */
export function storesLanguage({ muxer }: Container): boolean {
  return languageMuxers.includes(muxer);
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
  return language === undefined || !storesLanguage(container) ? null : languageCode(language);
}

/** Names the languages of audio that a file has no place for, unless the request sets one, which is named elsewhere. */
export function lostLanguageWarnings(
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
