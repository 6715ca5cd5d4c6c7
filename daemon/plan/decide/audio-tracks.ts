import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import { type AudioFacts, audioStreams, type MediaFacts, type TrackDisposition } from '../../jobs/media.js';
import type { AudioEncoderName } from '../audio-encoders.js';
import { nameInSentence } from '../device-profiles.js';
import type { AudioCodec, Container } from '../formats.js';
import { contentSecondsOf } from './clip.js';
import { conversionWarnings, decideAudio, decideRepack, layoutName } from './decide-audio.js';
import type { AudioTrack, Clip } from './decisions.js';
import { decideLanguage } from './languages.js';
import type { MeasuredAudio } from './normalization.js';
import { trackLabel } from './select-tracks.js';

/** The most tracks of audio in an output. */
export const maxAudioTracks = 50;

/** The muxers of containers that hold one track of audio. */
const singleTrackMuxers: ReadonlySet<string> = new Set(['flv', 'wav', 'mp3', 'flac', 'adts', 'ac3', 'eac3']);

/** Whether a container holds one track of audio only. */
export function holdsOneTrack({ muxer }: Container): boolean {
  return singleTrackMuxers.has(muxer);
}

/** What the tracks of audio of an output depend on, besides its settings and the tracks of the input. */
interface AudioContext {
  readonly codec: AudioCodec;
  readonly encoder: AudioEncoderName;
  readonly container: Container;
  readonly clip: Clip;
  readonly media: MediaFacts;
  /** What was measured so far in each track, by the index of its stream. */
  readonly measured: ReadonlyMap<number, MeasuredAudio> | undefined;
  /** The tracks that are copied, by the index of their stream. */
  readonly copied: ReadonlyMap<number, { readonly stripsAdts?: true }>;
  /** The ordinary audio of the input. Null if the request gives the order of the tracks: the first is the default. */
  readonly main: AudioFacts | null;
}

/** Decides the tracks of audio of an output, or returns why the settings cannot be met with this input. */
export function decideAudioTracks(
  settings: OutputSettings,
  tracks: readonly AudioFacts[],
  context: AudioContext,
):
  | { readonly tracks: readonly AudioTrack[]; readonly warnings: readonly string[] }
  | { readonly failure: JobFailure } {
  const { clip, media, container, copied, main } = context;
  const found: AudioTrack[] = [];
  const isSingle = tracks.length === 1;
  const warnings =
    isSingle || settings.audio_language === undefined
      ? []
      : [
          `${nameInSentence(settings, 'audio_language')} was ignored, because the output has several audio tracks.`,
        ];
  const defaultAt = main === null ? 0 : defaultPosition(tracks, main);
  for (const [at, source] of tracks.entries()) {
    const labels = {
      language: decideLanguage(isSingle ? settings : {}, source, container),
      title: source.title ?? null,
      dispositions: isSingle ? null : withDefault(source.dispositions, at === defaultAt),
    };
    const copy = copied.get(source.streamIndex);
    if (copy !== undefined) {
      found.push({ source, encoding: null, ...copy, ...labels });
      continue;
    }
    const lengths = {
      lengthSeconds: clip.expectedSeconds,
      audioSeconds: contentSecondsOf(clip, [source], media),
    };
    // Only its first frames would be decoded, and silence would follow.
    if (source.joined?.channels.some(({ track }) => decideRepack(media, track) !== null) === true) {
      const message = `input_audio_channels cannot use ${source.codec} of this input, which must be repacked before it is decoded.`;
      return { failure: { errorClass: 'InvalidAudioSettingsError', message } };
    }
    const repack = decideRepack(media, source);
    const measured = context.measured?.get(source.streamIndex);
    const decided = decideAudio(settings, source, context, repack, lengths, measured);
    if ('failure' in decided) return decided;
    found.push({ source, encoding: decided.audio, ...labels });
    const { channels } = decided.audio;
    warnings.push(
      ...(settings.copy_audio === true && channels < source.channels
        ? [
            `Audio track ${trackLabel(source, media)} of the input is mixed from ${layoutName(source.channels)} to ${layoutName(channels)}, as it is not copied.`,
          ]
        : []),
      ...decided.warnings,
      ...conversionWarnings(decided.audio, clip),
    );
  }
  return { tracks: found, warnings: [...new Set(warnings)] };
}

const isDefault = ({ dispositions = [] }: AudioFacts) => dispositions.includes('default');

/** The position of the default track: that of the input, or the main track if several or none are declared as it. */
function defaultPosition(tracks: readonly AudioFacts[], main: AudioFacts): number {
  const declared = tracks.filter(isDefault);
  const candidates = declared.length === 0 ? tracks : declared;
  const chosen = candidates.find(({ streamIndex }) => streamIndex === main.streamIndex) ?? candidates[0];
  return tracks.findIndex((track) => track === chosen);
}

/** Players choose the default track; there is one. */
function withDefault(
  dispositions: readonly TrackDisposition[] = [],
  isTheDefault: boolean,
): readonly TrackDisposition[] {
  return [
    ...(isTheDefault ? (['default'] as const) : []),
    ...dispositions.filter((name) => name !== 'default'),
  ];
}

/**
 * The tracks of audio that an output leaves out although the request does not say so, and why. Null if there are none.
 */
export function leftOutAudio(
  selected: { readonly tracks: readonly AudioFacts[]; readonly othersReason: string | null },
  kept: readonly AudioFacts[],
  media: MediaFacts,
  place: string,
): { readonly tracks: readonly AudioFacts[]; readonly reason: string } | null {
  const isCut = selected.tracks.length > kept.length;
  const { othersReason } = selected;
  const wanted = othersReason === null || isCut ? selected.tracks : audioStreams(media);
  const tracks = wanted.filter((track) => !kept.includes(track));
  if (tracks.length === 0) return null;
  const limit =
    kept.length === 1 ? `${place} holds one audio track` : `an output has at most ${maxAudioTracks} of them`;
  return { tracks, reason: isCut || othersReason === null ? limit : othersReason };
}
