import type { AlternateAudioSettings } from '../../src/shared/settings/playlists.js';
import { languageName } from '../../src/shared/text/languages.js';
import { siblingInUrl } from '../../src/shared/text/url-text.js';
import type { JobOutput, RenditionFacts } from '../jobs/job.js';
import { relativeAddress } from '../jobs/playlists.js';
import type { TrackFacts } from '../jobs/rendition-facts.js';
import type { MeasuredRates } from './bitrates.js';
import type { AlternateRendition } from './master-playlist.js';
import { isListed, type SourcedStream } from './playlist-sources.js';

/** Audio that streams refer to as a group: renditions of which a player chooses one. */
export interface AudioGroup {
  readonly name: string;
  readonly renditions: readonly AlternateRendition[];
  /** What a stream with this group declares of it: the names of its codecs. */
  readonly codecs: readonly string[];
  /**
   * The highest rates of its renditions while a video plays, in bits per second. Null for a video whose segments are
   * not known.
   */
  readonly ratesWith: (video: TrackFacts | null) => MeasuredRates;
}

/** The group of the audio of outputs whose tracks have playlists of their own, if the request names none for them. */
function ownGroupOf({ settings }: JobOutput): string {
  const names = new Set((settings.alternate_audio ?? []).map(({ group }) => group));
  let name = 'audio';
  for (let number = 2; names.has(name); number += 1) name = `audio-${number}`;
  return name;
}

/**
 * The groups of audio of a playlist: those of the request (`alternate_audio`), and one of the audio of outputs whose
 * tracks are separate. Renditions whose source was skipped are left out, and so are groups without any.
 */
export function audioGroupsOf(
  playlist: JobOutput,
  outputs: readonly JobOutput[],
  streams: readonly SourcedStream[],
): readonly AudioGroup[] {
  const entries = playlist.settings.alternate_audio ?? [];
  const named = [...new Set(entries.map(({ group }) => group))].map((name) => {
    const members = entries
      .filter(({ group }) => group === name)
      .flatMap((entry) => memberOf(entry, playlist, outputs));
    return groupOf(name, members);
  });
  const own = streams
    .filter(({ settings, source }) => settings.audio === undefined && hasSeparateAudio(source))
    .flatMap(({ source }) => (source === null ? [] : ownMembers(source, playlist)));
  const distinct = own.filter((member, index) => own.findIndex((one) => isSameTrack(one, member)) === index);
  return [...named, groupOf(ownGroupOf(playlist), distinct)].filter(
    ({ renditions }) => renditions.length > 0,
  );
}

/** The group that a stream of a playlist refers to; undefined if it has none. */
export function groupOfStream(
  groups: readonly AudioGroup[],
  { settings: { audio }, source }: Pick<SourcedStream, 'settings' | 'source'>,
  playlist: JobOutput,
): AudioGroup | undefined {
  if (audio !== undefined) return groups.find(({ name }) => name === audio);
  return hasSeparateAudio(source) ? groups.find(({ name }) => name === ownGroupOf(playlist)) : undefined;
}

/** Whether the video and the audio of an output have playlists of their own. */
function hasSeparateAudio(source: JobOutput | null): boolean {
  const tracks = (source?.rendition?.tracks ?? []).filter(({ playlist }) => playlist !== undefined);
  return (['video', 'audio'] as const).every((kind) => tracks.some((track) => track.kind === kind));
}

const isSameTrack = (one: Member, other: Member) =>
  one.language === other.language && one.name === other.name && one.characteristics === other.characteristics;

/** A rendition of a group, and what was measured of it. */
interface Member
  extends Pick<AlternateRendition, 'uri' | 'language' | 'isAutoselect' | 'characteristics' | 'channels'> {
  readonly name: string | null;
  readonly isDefault: boolean;
  readonly codec: string | null;
  /** Null if it was not measured. */
  readonly rates: MeasuredRates | null;
  /** Null if it is not a track with segments of its own. */
  readonly track: TrackFacts | null;
}

function memberOf(
  entry: AlternateAudioSettings,
  playlist: JobOutput,
  outputs: readonly JobOutput[],
): readonly Member[] {
  const { path, source: label, language, default: isDefault = false, autoselect } = entry;
  const source = outputs.find((output) => label !== undefined && output.label === label);
  if (source !== undefined && !isListed(source, playlist)) return [];
  const measured: readonly (Member | null)[] = source === undefined ? [null] : ownMembers(source, playlist);
  const labels = (member: Member | null) => entryLabels(entry, member, measured.length);
  return measured.map((member, index) => ({
    ...(member?.characteristics === undefined ? {} : { characteristics: member.characteristics }),
    ...(member?.channels === undefined ? {} : { channels: member.channels }),
    uri: path ?? member?.uri ?? null,
    language: labels(member).language ?? language,
    name: labels(member).name,
    isDefault: isDefault && index === 0,
    isAutoselect: autoselect ?? true,
    codec: member?.codec ?? null,
    rates: member?.rates ?? null,
    track: member?.track ?? null,
  }));
}

/** The language and name of a track of `alternate_audio`: those of the request, or its own if its source has several. */
export function entryLabels(
  { language, name }: AlternateAudioSettings,
  own: Pick<Member, 'language' | 'name'> | null,
  trackCount: number,
): Pick<Member, 'language' | 'name'> {
  const isOne = trackCount === 1;
  return {
    language: isOne && language !== 'und' ? language : (own?.language ?? null),
    name: (isOne ? name : undefined) ?? own?.name ?? null,
  };
}

/** The audio of an output: its tracks of audio, or the whole output. */
function ownMembers({ url, rendition }: JobOutput, playlist: JobOutput): readonly Member[] {
  const tracks = (rendition?.tracks ?? []).filter(({ kind }) => kind === 'audio');
  const address = relativeAddress(playlist.url, url);
  const ratesOf = (measured: TrackFacts | RenditionFacts) => ({
    peak: measured.peakBitrate,
    average: measured.averageBitrate,
  });
  const common = { isDefault: false, isAutoselect: true };
  if (tracks.length === 0) {
    const rates = rendition === undefined ? null : ratesOf(rendition);
    const codec = rendition?.audioCodec ?? null;
    return [{ ...common, uri: address, language: null, name: null, codec, rates, track: null }];
  }
  return tracks.map((track) => {
    const { name: _, ...labels } = labelsOf(track, '');
    return {
      ...{ ...common, ...labels, name: track.title ?? null },
      uri: track.playlist === undefined ? address : siblingInUrl(address, track.playlist),
      codec: track.codec,
      rates: ratesOf(track),
      track,
    };
  });
}

/** What a playlist says about a track of audio. `fallback` is its name if it has no title and no language. */
export function labelsOf(
  { language, title, channels, purposes = [] }: TrackFacts,
  fallback: string,
): Pick<AlternateRendition, 'language' | 'characteristics' | 'name' | 'channels'> {
  return {
    name: title ?? languageName(language) ?? fallback,
    language,
    ...(channels === undefined ? {} : { channels }),
    ...(purposes.includes('visual_impaired')
      ? { characteristics: 'public.accessibility.describes-video' }
      : {}),
  };
}

/** A group with exactly one default: the first that the request marks, or else the first. */
function groupOf(name: string, members: readonly Member[]): AudioGroup {
  const chosen = Math.max(
    0,
    members.findIndex(({ isDefault }) => isDefault),
  );
  return {
    name,
    renditions: members.map((member, index) => ({
      type: 'AUDIO',
      group: name,
      name: member.name ?? languageName(member.language) ?? name,
      language: member.language === 'und' ? null : member.language,
      isDefault: index === chosen,
      isAutoselect: member.isAutoselect,
      ...(member.characteristics === undefined ? {} : { characteristics: member.characteristics }),
      ...(member.channels === undefined ? {} : { channels: member.channels }),
      uri: member.uri,
    })),
    codecs: [...new Set(members.flatMap(({ codec }) => codec ?? []))],
    ratesWith: (video) => {
      const all = members.map((member) => ratesDuring(member, video));
      return {
        peak: Math.max(0, ...all.map(({ peak }) => peak)),
        average: Math.max(0, ...all.map(({ average }) => average)),
      };
    },
  };
}

/**
 * The rates of audio while a video plays. A segment of audio may be longer than that of the video that is loaded with
 * it.
 */
function ratesDuring(
  { rates, track }: Pick<Member, 'rates' | 'track'>,
  video: TrackFacts | null,
): MeasuredRates {
  if (rates === null) return { peak: 0, average: 0 };
  if (track === null || video === null) return rates;
  const { longest, whole } = lengthRatios(track, video);
  return { peak: Math.ceil(rates.peak * longest), average: Math.ceil(rates.average * whole) };
}

/**
 * The durations of segments of audio, divided by those of the segments of video that they are loaded with: the largest
 * ratio, which does not count the last of several segments (`longest`), and the ratio of the sums (`whole`). Both are
 * at least 1.
 */
function lengthRatios(audio: TrackFacts, video: TrackFacts) {
  const secondsOf = ({ durations, timescale }: TrackFacts) =>
    durations.flatMap(([duration, count]) => Array<number>(count).fill(duration / timescale));
  const ofVideo = secondsOf(video);
  const ofAudio = secondsOf(audio).slice(0, ofVideo.length);
  const sum = (seconds: readonly number[]) => seconds.reduce((total, one) => total + one, 0);
  const counted = ofVideo.length > 1 ? ofVideo.slice(0, -1) : ofVideo;
  const whole = Math.max(1, sum(ofAudio) / sum(ofVideo));
  const longest = counted.reduce(
    (most, seconds, index) => Math.max(most, (ofAudio[index] ?? 0) / seconds),
    1,
  );
  return { longest, whole };
}
