import type { AlternateAudioSettings, StreamSettings } from '../../src/shared/settings/playlists.js';
import { languageName } from '../../src/shared/text/languages.js';
import { siblingInUrl } from '../../src/shared/text/url-text.js';
import type { JobOutput } from '../jobs/job.js';
import { relativeAddress } from '../jobs/playlists.js';
import type { AlternateRendition } from './master-playlist.js';
import { isListed, type SourcedStream } from './playlist-sources.js';

/** Audio that streams refer to as a group: renditions of which a player chooses one. */
export interface AudioGroup {
  readonly name: string;
  readonly renditions: readonly AlternateRendition[];
  /** What a stream with this group declares of it: the names of its codecs, and its highest rates in bits per second. */
  readonly codecs: readonly string[];
  readonly peakBitrate: number;
  readonly averageBitrate: number;
}

/** The group of the audio of outputs whose tracks have playlists of their own, if the request names none for them. */
const ownGroup = 'audio';

/**
 * The groups of audio of a playlist: those of the request (`alternate_audio`), and one of the audio of outputs whose tracks are separate.
 * Renditions whose source was skipped are left out, and so are groups without any.
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
    .flatMap(({ source }) => (source === null ? [] : [ownMember(source, playlist)]));
  const distinct = own.filter(
    ({ language }, index) => own.findIndex((one) => one.language === language) === index,
  );
  return [...named, groupOf(ownGroup, distinct)].filter(({ renditions }) => renditions.length > 0);
}

/** The group that a stream refers to; undefined if it has none. */
export function groupOfStream(
  groups: readonly AudioGroup[],
  { audio }: StreamSettings,
  source: JobOutput | null,
): AudioGroup | undefined {
  if (audio !== undefined) return groups.find(({ name }) => name === audio);
  return hasSeparateAudio(source) ? groups.find(({ name }) => name === ownGroup) : undefined;
}

/** Whether the video and the audio of an output have playlists of their own. */
function hasSeparateAudio(source: JobOutput | null): boolean {
  const tracks = source?.rendition?.tracks ?? [];
  return tracks.length > 1 && tracks.every(({ playlist }) => playlist !== undefined);
}

/** A rendition of a group, and what was measured of it. */
interface Member extends Pick<AlternateRendition, 'uri' | 'language' | 'isAutoselect'> {
  readonly name: string | null;
  readonly isDefault: boolean;
  readonly codec: string | null;
  readonly peakBitrate: number;
  readonly averageBitrate: number;
}

function memberOf(
  entry: AlternateAudioSettings,
  playlist: JobOutput,
  outputs: readonly JobOutput[],
): readonly Member[] {
  const { path, source: label, language, name, default: isDefault = false, autoselect } = entry;
  const source = outputs.find((output) => label !== undefined && output.label === label);
  if (source !== undefined && !isListed(source, playlist)) return [];
  const measured = source === undefined ? null : ownMember(source, playlist);
  return [
    {
      uri: path ?? measured?.uri ?? null,
      language,
      name: name ?? null,
      isDefault,
      isAutoselect: autoselect ?? true,
      codec: measured?.codec ?? null,
      peakBitrate: measured?.peakBitrate ?? 0,
      averageBitrate: measured?.averageBitrate ?? 0,
    },
  ];
}

/** The audio of an output: its track of audio, or the whole output. */
function ownMember({ url, rendition }: JobOutput, playlist: JobOutput): Member {
  const track = rendition?.tracks?.find(({ kind }) => kind === 'audio');
  const address = relativeAddress(playlist.url, url);
  return {
    uri: track?.playlist === undefined ? address : siblingInUrl(address, track.playlist),
    language: track?.language ?? null,
    name: null,
    isDefault: false,
    isAutoselect: true,
    codec: rendition?.audioCodec ?? null,
    peakBitrate: track?.peakBitrate ?? rendition?.peakBitrate ?? 0,
    averageBitrate: track?.averageBitrate ?? rendition?.averageBitrate ?? 0,
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
    renditions: members.map(
      (member, index): AlternateRendition => ({
        type: 'AUDIO',
        group: name,
        name: member.name ?? languageName(member.language) ?? name,
        language: member.language === 'und' ? null : member.language,
        isDefault: index === chosen,
        isAutoselect: member.isAutoselect,
        uri: member.uri,
      }),
    ),
    codecs: [...new Set(members.flatMap(({ codec }) => codec ?? []))],
    peakBitrate: Math.max(0, ...members.map(({ peakBitrate }) => peakBitrate)),
    averageBitrate: Math.max(0, ...members.map(({ averageBitrate }) => averageBitrate)),
  };
}
