import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { AudioFacts, MediaFacts, ProgramFacts, UnusedTrack } from '../../jobs/media.js';
import { wantsCaptions } from './captions.js';
import { trackLabel } from './select-tracks.js';

/** What an output has of an input, to find out what is left out. */
interface KeptStreams {
  /** Whether the output may have video and audio at all. */
  readonly wantsVideo: boolean;
  readonly wantsAudio: boolean;
  /** The tracks of audio that could be encoded and are left out, and why if the request does not say so. */
  readonly otherAudio: { readonly tracks: readonly AudioFacts[]; readonly reason: string } | null;
  /** Whether it has video. Then the warnings about its captions name the subtitles that are left out. */
  readonly hasVideo: boolean;
  /** Whether it has the timecode of the input, or one that was set. */
  readonly hasTimecode: boolean;
}

/** Longer lists end with the number of the others. */
const maxNames = 8;

/**
 * Names what an input has and an output has not, one sentence for each kind: other programmes, tracks, and data
 * tracks. What the request leaves out on purpose is not named: skipped audio and captions,
 * skipped video with its subtitles, and the alternatives of a programme or an audio track that it chooses.
 */
export function leftOutWarnings(
  settings: OutputSettings,
  media: MediaFacts,
  { wantsVideo, wantsAudio, otherAudio, hasVideo, hasTimecode }: KeptStreams,
): readonly string[] {
  const { tracks = [], programs } = media.unused ?? {};
  const videos = wantsVideo ? tracks.filter(({ kind }) => kind === 'video') : [];
  const audios = wantsAudio ? tracks.filter(({ kind }) => kind === 'audio') : [];
  const wantsTimecode = wantsVideo && settings.metadata !== 'drop';
  const isLost = (track: UnusedTrack) =>
    track.codec !== 'tmcd' || (wantsTimecode && (!hasTimecode || hasOtherTimecode(track, media)));
  const data = tracks.filter((track) => track.kind === 'data' && isLost(track));
  return [
    ...(programs === undefined || settings.program !== undefined ? [] : [programWarning(programs)]),
    ...trackWarnings('video', videos),
    ...(wantsAudio && otherAudio !== null ? otherAudioWarnings(otherAudio, media) : []),
    ...trackWarnings('audio', audios),
    ...(hasVideo ? borderWarnings(media.video) : wantsVideo ? subtitleWarnings(settings, media) : []),
    ...namesSentence(
      data.map(({ codec, streamIndex }) => `stream ${streamIndex} (${dataName(codec)})`),
      (names) =>
        data.length === 1
          ? `The data track of the input was left out: ${names}.`
          : `The data tracks of the input were left out: ${names}.`,
    ),
  ];
}

/** Whether a track of timecodes begins with another one than the first, which an output has. */
export function hasOtherTimecode({ timecode }: Pick<UnusedTrack, 'timecode'>, media: MediaFacts): boolean {
  return timecode !== undefined && timecode !== media.timecode;
}

/** A sentence with a list of names; none if there are no names. */
export function namesSentence(
  names: readonly string[],
  toSentence: (names: string) => string,
): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length - maxNames;
  const shown = names.slice(0, maxNames).join(', ');
  return [toSentence(more > 0 ? `${shown} and ${more} more` : shown)];
}

const dataNames: Readonly<Record<string, string>> = {
  tmcd: 'tmcd: timecode',
  gpmd: 'gpmd: GoPro telemetry',
  camm: 'camm: camera motion',
  scte_35: 'scte_35: splice points',
  thumbnails: 'images of chapters',
};

function dataName(codec: string): string {
  return Object.hasOwn(dataNames, codec) ? (dataNames[codec] ?? codec) : codec;
}

function programWarning({
  chosen,
  others,
}: NonNullable<NonNullable<MediaFacts['unused']>['programs']>): string {
  const label = ({ number, name }: ProgramFacts) =>
    name === undefined ? `${number}` : `${number} (${name})`;
  const shown = others.slice(0, maxNames).map(label).join(', ');
  const names = others.length > maxNames ? `${shown} and ${others.length - maxNames} more` : shown;
  return `The output has programme ${label(chosen)} of the input; programme ${names} was left out (program chooses one).`;
}

/** Why a track is not used, as a clause. */
export const unusableReasons = {
  ended: 'it ends before the clip',
  empty: 'no frame of it was found',
  'unknown-codec': 'ffmpeg does not know its codec',
  still: 'it is a still image',
  other: 'an output has one track of video',
} as const satisfies Record<NonNullable<UnusedTrack['reason']> | 'other' | 'ended', string>;

/** One sentence for each reason. */
function trackWarnings(kind: 'video' | 'audio', tracks: readonly UnusedTrack[]): readonly string[] {
  return (['empty', 'unknown-codec', 'still', 'other'] as const).flatMap((reason) =>
    namesSentence(
      tracks
        .filter((track) => (track.reason ?? 'other') === reason)
        .map(({ streamIndex, codec }) => `stream ${streamIndex} (${codec})`),
      (names) => `The ${kind} in ${names} of the input was left out: ${unusableReasons[reason]}.`,
    ),
  );
}

function otherAudioWarnings(
  { tracks, reason }: NonNullable<KeptStreams['otherAudio']>,
  media: MediaFacts,
): readonly string[] {
  const isOne = tracks.length === 1;
  return namesSentence(
    tracks.map((track) => trackLabel(track, media)),
    (names) =>
      `Audio track${isOne ? '' : 's'} ${names} of the input ${isOne ? 'was' : 'were'} left out: ${reason}.`,
  );
}

/** The borders that players cut off only from the input. */
function borderWarnings(video: MediaFacts['video']): readonly string[] {
  return namesSentence(
    Object.entries(video?.borders ?? {}).flatMap(([side, pixels]) =>
      pixels > 0 ? `${pixels} at the ${side}` : [],
    ),
    (names) => `The input asks players to cut pixels off its video, which the output shows: ${names}.`,
  );
}

/** The subtitles of an output without video, which has no place for them. */
function subtitleWarnings(settings: OutputSettings, { subtitles = [] }: MediaFacts): readonly string[] {
  if (!wantsCaptions(settings)) return [];
  return namesSentence(
    subtitles.map(({ streamIndex, codec }) => `stream ${streamIndex} (${codec})`),
    (names) => `The subtitles in ${names} of the input were left out: the input has no video.`,
  );
}
