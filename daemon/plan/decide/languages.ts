import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { languageCode } from '../../../src/shared/text/languages.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, MediaFacts } from '../../jobs/media.js';
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
  audio: AudioFacts | null,
  container: Container,
): string | null {
  const language = audio_language ?? audio?.language;
  return audio === null || language === undefined || !storesLanguage(container)
    ? null
    : languageCode(language);
}

/**
 * The facts of an input with the audio track that an output has, and the sentences to show if another one was asked
 * for.
 */
interface SelectedAudio {
  readonly media: MediaFacts;
  readonly warnings: readonly string[];
}

/**
 * Selects the audio track of an output: the best one in the language of `select_audio_language`, or else the default
 * one.
 */
export function selectAudio(
  { select_audio_language: wanted, strict, skip_audio }: OutputSettings,
  media: MediaFacts,
): SelectedAudio | { readonly failure: JobFailure } {
  const { audio, otherAudio = [] } = media;
  if (wanted === undefined || audio === null || skip_audio === true) return { media, warnings: [] };
  const code = languageCode(wanted);
  const found = [audio, ...otherAudio].find(({ language = '' }) => languageCode(language) === code);
  if (found !== undefined) return { media: { ...media, audio: found }, warnings: [] };
  const message = 'The input has no audio track in the language of select_audio_language';
  if (strict === true) return { failure: { errorClass: 'NoMediaError', message: `${message}.` } };
  return { media, warnings: [`${message}, so the default track is used.`] };
}
