import { serviceTypes } from '../../../src/shared/settings/channels.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { isSegmented } from '../../../src/shared/settings/segments.js';
import { languageCode, languageTag } from '../../../src/shared/text/languages.js';
import type { JobFailure } from '../../jobs/job.js';
import {
  type AudioFacts,
  audioStreams,
  type MediaFacts,
  type TrackDisposition,
  type TrackLabels,
} from '../../jobs/media.js';
import { joinChannels } from './audio-channels.js';

/** A track of audio or subtitles, and its number among those of its kind, from 1, in the order of the file. */
export interface NumberedTrack<T> {
  readonly number: number;
  readonly track: T;
}

/** What selectors call the purposes of tracks, and what files declare for them. */
const purposes: Readonly<Record<string, TrackDisposition>> = {
  original: 'original',
  dub: 'dub',
  commentary: 'comment',
  descriptions: 'visual_impaired',
  visually_impaired: 'visual_impaired',
  hearing_impaired: 'hearing_impaired',
  music_and_effects: 'clean_effects',
  forced: 'forced',
};

/**
 * The tracks that a list of selectors names, in its order, each once, and the selectors that name none. A selector is a
 * number from 1, a language, `und` for tracks without one, or a purpose; `eng:1` is the first track of a language.
 */
export function applySelectors<T extends TrackLabels>(
  selectors: readonly string[],
  tracks: readonly NumberedTrack<T>[],
): { readonly selected: readonly T[]; readonly unmatched: readonly string[] } {
  const matches = selectors.map((selector) => {
    const [, word = '', position] = /^(.*?)(?::(\d+))?$/.exec(selector) ?? [];
    const found = tracks.filter((one) => isNamed(one, word));
    return position === undefined ? found : found.slice(Number(position) - 1, Number(position));
  });
  return {
    selected: [...new Set(matches.flat().map(({ track }) => track))],
    unmatched: selectors.filter((_, at) => matches[at]?.length === 0),
  };
}

function isNamed({ number, track }: NumberedTrack<TrackLabels>, word: string): boolean {
  const { language, dispositions = [] } = track;
  const purpose = Object.hasOwn(purposes, word) ? purposes[word] : undefined;
  if (purpose !== undefined) return dispositions.includes(purpose);
  if (/^\d+$/.test(word)) return number === Number(word);
  const code = language === undefined ? null : languageCode(language);
  if (word === 'und') return code === null;
  // Regions and scripts count if both name one: `pt-BR` is not `pt-PT`.
  const [own = '', wanted = ''] = [language ?? '', word].map((one) => languageTag(one).toLowerCase());
  if (own.includes('-') && wanted.includes('-')) return own === wanted;
  return code !== null && code === languageCode(word);
}

/** The audio tracks of an input that can be encoded, in the order of the file, with their numbers in it. */
function audioTracksOf(media: MediaFacts): readonly NumberedTrack<AudioFacts>[] {
  const usable = audioStreams(media);
  const unusable = (media.unused?.tracks ?? []).filter(({ kind }) => kind === 'audio');
  const order = [...usable, ...unusable].map(({ streamIndex }) => streamIndex).toSorted((a, b) => a - b);
  return usable.map((track) => ({ number: order.indexOf(track.streamIndex) + 1, track }));
}

/** An audio track of an input in a sentence: see `numberedLabel`. */
export function trackLabel(track: AudioFacts, media: MediaFacts): string {
  const { number = 1 } =
    audioTracksOf(media).find((one) => one.track.streamIndex === track.streamIndex) ?? {};
  return numberedLabel({ number, track });
}

/** A track in a sentence: `2 (deu, Commentary)`, or with its codec if the file declares nothing about it. */
export function numberedLabel({
  number,
  track: { language, title, codec },
}: NumberedTrack<TrackLabels & { readonly codec: string }>): string {
  const labels = [language, title].filter((label) => label !== undefined);
  return `${number} (${labels.length === 0 ? codec : labels.join(', ')})`;
}

/** The audio tracks of an output, and sentences about selectors that name none. */
interface SelectedAudio {
  /** The facts of the input; its `audio` is the first selected track. */
  readonly media: MediaFacts;
  /** In the order of the output. */
  readonly tracks: readonly AudioFacts[];
  /** Why the other tracks are left out; null if the request names the tracks that it wants. */
  readonly othersReason: string | null;
  readonly warnings: readonly string[];
}

/**
 * Selects the audio tracks of an output. The first of these that the request has decides: the track that
 * `input_audio_channels` puts together; those that `audio_tracks` names; the best one in the language of
 * `select_audio_language`, or for the purpose of `select_audio_service_type`; all, if the audio is copied; the default
 * one. If nothing that is named exists, that is the default one, or a failure in strict mode. `isSingle`: the output
 * holds one track.
 */
export function selectAudio(
  settings: OutputSettings,
  media: MediaFacts,
  isSingle: boolean,
): SelectedAudio | { readonly failure: JobFailure } {
  const { audio_tracks: given, select_audio_language: language, copy, copy_audio, skip_audio } = settings;
  const { select_audio_service_type: type, input_audio_channels: channels } = settings;
  const { audio } = media;
  const all = audioTracksOf(media);
  if (channels !== undefined && copy_audio !== true && skip_audio !== true) {
    const result = joinChannels(settings, all, media);
    if ('failure' in result) return result;
    const { longest, warnings } = result;
    return { media: withFirstAudio(media, longest), tracks: [result.audio], othersReason: null, warnings };
  }
  if (audio === null || skip_audio === true) return { media, tracks: [], othersReason: null, warnings: [] };
  const isNamed = language !== undefined || type !== undefined;
  const withTracks = (first: AudioFacts, others: readonly AudioFacts[] = []): SelectedAudio => ({
    media: withFirstAudio(media, first),
    tracks: [first, ...others],
    othersReason: given === undefined ? (isNamed ? null : oneTrackReason) : reasonOf(given),
    warnings: [],
  });
  const withoutMatch = (message: string): ReturnType<typeof selectAudio> =>
    settings.strict === true
      ? { failure: { errorClass: 'NoMediaError', message: `${message}.` } }
      : { ...withTracks(audio), warnings: [`${message}, so the default track is used.`] };
  if (given === undefined && isNamed) {
    const missing = missingNumbers(settings, all);
    const found = namedTrack(settings, all, [audio, ...(media.otherAudio ?? [])]);
    const result = found === undefined ? withoutMatch(noMatchMessage(settings)) : withTracks(found);
    return 'failure' in result ? result : { ...result, warnings: [...missing, ...result.warnings] };
  }
  const isCopied = given === undefined && (copy === true || copy_audio === true);
  if (given?.[0] === 'all' || isCopied) {
    const inOrder = all.map(({ track }) => track);
    // Playlists and manifests declare the first track as the default.
    const [first = audio] = (isCopied && isSingle) || isSegmented(settings) ? [audio] : inOrder;
    return withTracks(
      first,
      inOrder.filter((track) => track !== first),
    );
  }
  if (given?.[0] === 'languages') {
    const [first = audio, ...others] = firstOfEachLanguage(media, audio);
    return withTracks(first, others);
  }
  if (given === undefined || given[0] === 'default') return withTracks(audio);
  const { selected, unmatched } = applySelectors(given, all);
  const [first, ...others] = selected;
  const names = all.map(({ track }) => trackLabel(track, media)).join(', ');
  const message = `audio_tracks names ${unmatched.join(', ')}, but the audio tracks of the input are ${names}`;
  if (first === undefined || (unmatched.length > 0 && settings.strict === true)) return withoutMatch(message);
  return { ...withTracks(first, others), warnings: unmatched.length === 0 ? [] : [`${message}.`] };
}

/** The first track of `select_audio_service_type`, or the best one of `select_audio_language`, or the first of both. */
function namedTrack(
  settings: OutputSettings,
  inOrder: readonly NumberedTrack<AudioFacts>[],
  bestFirst: readonly AudioFacts[],
): AudioFacts | undefined {
  const { select_audio_language: language, select_audio_service_type: type } = settings;
  const code = language === undefined ? null : languageCode(language);
  const isInLanguage = (track: AudioFacts) =>
    language === undefined || languageCode(track.language ?? '') === code;
  return type === undefined
    ? bestFirst.find(isInLanguage)
    : inOrder.find((one) => isInLanguage(one.track) && hasServiceType(one, type, settings))?.track;
}

/** Whether a track has a purpose: the one that the request names for it, or else one that it declares, or `main`. */
function hasServiceType(
  { number, track }: NumberedTrack<AudioFacts>,
  type: NonNullable<OutputSettings['select_audio_service_type']>,
  { input_audio_service_types: named = {} }: OutputSettings,
): boolean {
  const given = named[number];
  if (given !== undefined) return given === type;
  const { dispositions = [] } = track;
  const declares = (one: string) => purposes[one] !== undefined && dispositions.includes(purposes[one]);
  // Files declare nothing for the other types.
  return type === 'main' ? !serviceTypes.some(declares) : declares(type);
}

function noMatchMessage({
  select_audio_language: language,
  select_audio_service_type: type,
}: OutputSettings) {
  const wanted = [
    ...(language === undefined ? [] : ['in the language of select_audio_language']),
    ...(type === undefined ? [] : ['for the purpose of select_audio_service_type']),
  ];
  return `The input has no audio track ${wanted.join(' and ')}`;
}

/** The sentence about numbers of `input_audio_service_types` that no track has. */
function missingNumbers(
  { input_audio_service_types: named = {} }: OutputSettings,
  tracks: readonly NumberedTrack<AudioFacts>[],
): readonly string[] {
  const missing = Object.keys(named).filter((one) => tracks.every(({ number }) => number !== Number(one)));
  const count = tracks.length;
  return missing.length === 0
    ? []
    : [
        `input_audio_service_types names ${missing.join(', ')}, but the input has ${count} audio track${count === 1 ? '' : 's'}.`,
      ];
}

const oneTrackReason = 'an output has one audio track unless audio_tracks names others';

/** Why a request with these selectors leaves tracks out that it does not name; null if it means to. */
function reasonOf([first]: readonly string[]): string | null {
  return first === 'languages'
    ? 'only the first of each language is kept unless audio_tracks names others'
    : null;
}

/** The best track of each language, and of those without one: the default one first, then in the order of the file. */
function firstOfEachLanguage(media: MediaFacts, audio: AudioFacts): readonly AudioFacts[] {
  // `otherAudio` begins with ordinary tracks, before descriptions and commentaries.
  const chosen = firstOfLanguages([audio, ...(media.otherAudio ?? [])]);
  return [audio, ...audioStreams(media).filter((track) => track !== audio && chosen.includes(track))];
}

/** The first track of each language, and of those without one. */
export function firstOfLanguages<T extends TrackLabels>(tracks: readonly T[]): readonly T[] {
  const languages = tracks.map(({ language = '' }) => languageCode(language));
  return tracks.filter((_, at) => languages.indexOf(languages[at] ?? null) === at);
}

function withFirstAudio(media: MediaFacts, first: AudioFacts): MediaFacts {
  const { audio, otherAudio = [] } = media;
  if (audio === null || audio === first) return media;
  return { ...media, audio: first, otherAudio: [audio, ...otherAudio.filter((one) => one !== first)] };
}
