import { isDash } from './segments.js';
import type { RequestWarning, SettingsOf, SettingsTable } from './setting.js';

const section = 'Playlists';

/** A text that can be a value in quotes in a playlist. */
const quotable = {
  kind: 'text',
  maxLength: 255,
  form: { pattern: '[^"\\r\\n]+', rule: 'must not have quotes or line breaks', example: 'avc1.64001F' },
  section,
} as const;

const side = {
  kind: 'integer',
  min: 1,
  max: 65_535,
  unit: 'pixels',
  section,
  defaultText: 'that of the source',
} as const;

/** The settings of one stream of a playlist. */
const streamsTable = {
  path: {
    kind: 'text',
    maxLength: 2048,
    form: { pattern: '[^\\s"]+', rule: 'must be a URI, without spaces and quotes', example: 'low/film.m3u8' },
    section,
    help: 'address of the playlist of its segments, written as given',
    defaultText: 'the address of source, relative to the playlist if possible',
  },
  source: {
    kind: 'text',
    maxLength: 255,
    section,
    help: 'label of the segmented output in which its properties are measured',
  },
  bandwidth: {
    kind: 'number',
    min: 0.001,
    max: 10_000_000,
    unit: 'Kbps',
    section,
    help: 'highest bitrate of a segment',
    defaultText: 'as measured',
  },
  resolution: {
    kind: 'size',
    min: 1,
    max: 65_535,
    section,
    help: 'size of the video, as WIDTHxHEIGHT',
  },
  codecs: { ...quotable, help: 'names of the codecs, separated by commas', defaultText: 'as measured' },
  name: { ...quotable, help: 'name of the stream' },
  audio: { ...quotable, help: 'group of alternate_audio' },
  captions: {
    kind: 'choice',
    choices: ['captions'],
    section,
    help: 'group of captions; all captions of a playlist are in the group captions',
    defaultText: 'captions if the playlist has some',
  },
  width: { ...side, help: 'width in a SMIL file' },
  height: { ...side, help: 'height in a SMIL file' },
} as const satisfies SettingsTable;

/** The settings of one stream of a playlist. */
export type StreamSettings = SettingsOf<typeof streamsTable>;

/** The settings of one rendition of a group of audio. */
const alternateAudioTable = {
  group: { ...quotable, isRequired: true, help: 'name of its group, to which streams refer' },
  path: streamsTable.path,
  source: { ...streamsTable.source, help: 'label of the segmented output' },
  language: {
    kind: 'text',
    maxLength: 35,
    isRequired: true,
    form: { pattern: '[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*', rule: 'must be a language code', example: 'en' },
    section,
    help: 'language code (RFC 5646)',
  },
  name: { ...quotable, help: 'name for people', defaultText: 'the English name of the language' },
  default: {
    kind: 'boolean',
    section,
    help: 'play it unless a person chose another',
    defaultText: 'true for the first of a group',
  },
  autoselect: {
    kind: 'boolean',
    default: true,
    section,
    help: 'play it if it fits the language of the person',
  },
} as const satisfies SettingsTable;

/** The settings of one rendition of captions. */
const playlistCaptionsTable = {
  path: streamsTable.path,
  source: {
    ...streamsTable.source,
    help: 'label of the segmented output that has captions in the language',
  },
  language: alternateAudioTable.language,
  name: alternateAudioTable.name,
  default: { kind: 'boolean', default: false, section, help: 'show them unless a person chose otherwise' },
  forced: { kind: 'boolean', default: false, section, help: 'show them even if captions are off' },
} as const satisfies SettingsTable;

/** The settings of one rendition of captions. */
type PlaylistCaptionsSettings = SettingsOf<typeof playlistCaptionsTable>;

/** The settings of one rendition of a group of audio. */
export type AlternateAudioSettings = SettingsOf<typeof alternateAudioTable>;

const noSmooth = 'is not supported: use hls or dash instead of Smooth Streaming';

/** Settings of playlists of several renditions (`type: playlist`): RFC 8216, section 4.3.4. */
export const playlistsTable = {
  playlist_format: {
    rejectedValues: { ism: noSmooth, mss: noSmooth },
    seenIn: 'delivery',
    kind: 'choice',
    choices: ['hls', 'm3u', 'm3u8', 'highwinds', 'dash', 'mpd', 'ism', 'mss'],
    section,
    help: 'format of the playlist',
    defaultText: 'hls',
  },
  streams: {
    seenIn: 'delivery',
    kind: 'list',
    of: { kind: 'object', fields: streamsTable, section, help: 'one stream' },
    max: 100,
    section,
    help: 'streams of the playlist; players begin with the first',
  },
  alternate_audio: {
    seenIn: 'delivery',
    kind: 'list',
    of: { kind: 'object', fields: alternateAudioTable, section, help: 'one rendition' },
    max: 100,
    groupField: 'group',
    section,
    help: 'renditions of audio, by groups; without path and source, the audio is in the stream',
  },
  captions: {
    seenIn: 'delivery',
    kind: 'list',
    of: { kind: 'object', fields: playlistCaptionsTable, section, help: 'one rendition' },
    max: 50,
    section,
    help: 'captions of the playlist, in place of those of its sources',
    defaultText: 'those of the sources',
  },
  smil_base_url: { seenIn: 'delivery', kind: 'url', section, help: 'base URL in a SMIL file, of any scheme' },
  allow_skipped_sources: {
    seenIn: 'delivery',
    kind: 'boolean',
    default: false,
    section,
    help: 'leave out streams whose source was skipped, instead of failing',
  },
} as const satisfies SettingsTable;

/** The settings that the rules compare. */
interface PlaylistSettings {
  readonly type?: string;
  readonly playlist_format?: string;
  readonly streams?: readonly StreamSettings[];
  readonly alternate_audio?: readonly AlternateAudioSettings[];
  readonly captions?: readonly PlaylistCaptionsSettings[];
  readonly smil_base_url?: string;
  readonly allow_skipped_sources?: boolean;
}

/** Whether an output is a playlist of other outputs. */
export function isPlaylist({ type }: { readonly type?: unknown }): boolean {
  return type === 'playlist';
}

/** Values of `playlist_format` and the other names of a format that mean a manifest of DASH. */
const dashFormats: readonly unknown[] = ['dash', 'mpd'];

/**
 * The extension of the main file of a segmented output or a playlist: `.m3u8`, or `.mpd` or `.smil` if that is all it
 * has, or its name says so.
 */
export function playlistExtension(settings: PlaylistNames, name = ''): '.m3u8' | '.mpd' | '.smil' {
  const { playlist_format: format = settings.streaming_delivery_format, packaging } = settings;
  if (packaging !== undefined) return '.m3u8';
  const isNamed = isPlaylist(settings) && format === undefined;
  if (isNamed && /\.smil$/i.test(name.replace(/[?#].*$/s, ''))) return '.smil';
  const isManifest = isPlaylist(settings)
    ? dashFormats.includes(format) || (format === undefined && /\.mpd$/i.test(name.replace(/[?#].*$/s, '')))
    : isDash(settings);
  return isManifest ? '.mpd' : '.m3u8';
}

/** The settings that decide which playlists an output has. */
interface PlaylistNames {
  readonly type?: unknown;
  readonly playlist_format?: unknown;
  readonly streaming_delivery_format?: unknown;
  readonly packaging?: unknown;
}

/** Validation errors of the settings of a playlist that do not depend on other outputs. */
export function validatePlaylist(settings: PlaylistSettings, path: string): readonly string[] {
  if (!isPlaylist(settings) || (settings.streams ?? []).length > 0) return [];
  return [`${path}.streams must name at least one stream`];
}

/** Warnings about settings of playlists that have no effect. */
export function ineffectivePlaylistSettings(
  settings: PlaylistSettings,
  path: string,
): readonly RequestWarning[] {
  if (isPlaylist(settings)) return [];
  const names = Object.keys(playlistsTable) as readonly (keyof typeof playlistsTable)[];
  const message = 'has no effect: only an output of type playlist has streams';
  return names.flatMap((name) =>
    settings[name] === undefined ? [] : [{ field: `${path}.${name}`, message }],
  );
}
