import { isCaptionPlaylist, isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { isDash, isSegmented } from '../../src/shared/settings/segments.js';
import { fileNameInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { sourceOfStream } from '../jobs/playlists.js';

/** The settings that apply to a playlist. */
const playlistNames: ReadonlySet<string> = new Set([
  ...['type', 'label', 'url', 'base_url', 'filename', 'secondary_url', 'credentials', 'headers'],
  ...['public', 'access_control', 'rrs', 'notifications', 'strict', 'skip', 'parallel_upload_limit'],
  ...['playlist_format', 'format', 'streaming_delivery_format', 'streaming_delivery_profile', 'packaging'],
  ...['streams', 'alternate_audio', 'captions', 'allow_skipped_sources', 'smil_base_url'],
]);

/** Values that mean a playlist of HTTP Live Streaming, and a manifest of DASH. */
const formats: readonly string[] = ['hls', 'm3u', 'm3u8', 'highwinds', 'dash', 'mpd'];

/** The default name of a playlist. */
export const defaultPlaylistName = 'master.m3u8';

/** What a check of the settings of one playlist found. */
interface CheckedPlaylist {
  readonly kept: OutputSettings;
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** The settings that apply to a playlist, a warning for each of the others, and an error for a format that cannot be written. */
export function checkPlaylist(settings: OutputSettings, path: string): CheckedPlaylist {
  const entries = Object.entries(settings);
  const names = ['playlist_format', 'format', 'streaming_delivery_format'] as const;
  const given = names.find((name) => settings[name] !== undefined);
  const format = given === undefined ? null : String(settings[given]);
  const named = fileNameInUrl(settings.url ?? settings.filename ?? '');
  const isOtherName = given === undefined && /\.ism$/i.test(named);
  // The values of playlist_format are checked with the other settings.
  const isWrong = format !== null && given !== 'playlist_format' && !formats.includes(format);
  return {
    // The loop keeps each value under its own name, which the compiler cannot infer.
    kept: Object.fromEntries(entries.filter(([name]) => playlistNames.has(name))) as OutputSettings,
    validationErrors: [
      ...(isWrong ? [`${path}.${given} must be hls, m3u8 or dash if type is playlist`] : []),
      ...(isOtherName
        ? [
            `${path}.${settings.url === undefined ? 'filename' : 'url'} must end in .m3u8, .mpd or .smil: other playlists cannot be made`,
          ]
        : []),
    ],
    warnings: [
      ...smilWarnings(settings, path),
      ...entries
        .filter(([name, value]) => !playlistNames.has(name) && value !== undefined)
        .map(([name]) => ({ field: `${path}.${name}`, message: 'has no effect: the output is a playlist' })),
    ],
  };
}

/** Settings of SMIL files in another playlist, and of others in a SMIL file. */
function smilWarnings(settings: OutputSettings, path: string): readonly RequestWarning[] {
  const isSmil = playlistExtensionOf(settings) === '.smil';
  const message = isSmil ? 'has no effect in a SMIL file' : 'has no effect: the playlist is not a SMIL file';
  const ofPlaylist = isSmil ? (['alternate_audio'] as const) : (['smil_base_url'] as const);
  const ofStream = isSmil ? (['audio', 'codecs', 'name'] as const) : (['width', 'height'] as const);
  return [
    ...ofPlaylist
      .filter((name) => settings[name] !== undefined)
      .map((name) => ({ field: `${path}.${name}`, message })),
    ...(settings.streams ?? []).flatMap((stream, index) =>
      ofStream
        .filter((name) => stream[name] !== undefined)
        .map((name) => ({ field: `${path}.streams[${index}].${name}`, message })),
    ),
  ];
}

/** An output of a request, with its destinations; they are absent if its settings are invalid. */
interface CheckedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination?: OutputDestinations;
}

/** Validation errors of the streams of all playlists, each of which must name a segmented output or be complete without one. */
export function playlistErrors(outputs: readonly CheckedOutput[]): readonly string[] {
  const errors = outputs.flatMap((output, index) =>
    isPlaylist(output.settings)
      ? [
          ...streamErrors(output, index, outputs),
          ...alternateErrors(output, index, outputs, 'alternate_audio'),
          ...alternateErrors(output, index, outputs, 'captions'),
        ]
      : [],
  );
  const isAlone =
    outputs.some(({ settings }) => isPlaylist(settings)) &&
    outputs.every(({ settings }) => isPlaylist(settings) || isCaptions(settings));
  return [...(isAlone ? ['outputs must have one that is not a playlist or captions'] : []), ...errors];
}

function streamErrors(
  { settings, outputDestination }: CheckedOutput,
  index: number,
  outputs: readonly CheckedOutput[],
): readonly string[] {
  const resolved = outputs.flatMap((output) =>
    output.outputDestination === undefined
      ? []
      : [{ settings: output.settings, ...output.outputDestination }],
  );
  const groups = (settings.alternate_audio ?? []).map(({ group }) => group);
  return (settings.streams ?? []).flatMap((stream, streamIndex): readonly string[] => {
    const path = `outputs[${index}].streams[${streamIndex}]`;
    const groupErrors =
      stream.audio === undefined || groups.includes(stream.audio)
        ? []
        : [`${path}.audio names no group of alternate_audio`];
    if (stream.source !== undefined)
      return [
        ...groupErrors,
        ...sourceErrors(settings, { label: stream.source, name: 'streams', outputs }).map(
          (error) => `${path}.source ${error}`,
        ),
      ];
    if (stream.path === undefined)
      return [...groupErrors, `${path}.path must be given if there is no source`];
    const source =
      outputDestination === undefined ? undefined : sourceOfStream(resolved, outputDestination, stream);
    const isManifest = settings.packaging !== undefined || playlistExtensionOf(settings) === '.mpd';
    if (isManifest && source === undefined)
      return [...groupErrors, `${path}.source must be given for dash and cmaf`];
    return stream.bandwidth !== undefined || source !== undefined
      ? groupErrors
      : [...groupErrors, `${path}.bandwidth must be given if there is no source`];
  });
}

function alternateErrors(
  { settings }: CheckedOutput,
  index: number,
  outputs: readonly CheckedOutput[],
  name: 'alternate_audio' | 'captions',
): readonly string[] {
  return (settings[name] ?? []).flatMap(({ source }, entry) =>
    source === undefined
      ? []
      : sourceErrors(settings, { label: source, name, outputs }).map(
          (error) => `outputs[${index}].${name}[${entry}].source ${error}`,
        ),
  );
}

/** The label of an output that an entry of a playlist names. */
interface SourceReference {
  readonly label: string;
  /** The list with the entry. */
  readonly name: 'streams' | 'alternate_audio' | 'captions';
  readonly outputs: readonly CheckedOutput[];
}

/** What is wrong with the output that an entry of a playlist names by its label. */
function sourceErrors(
  playlist: OutputSettings,
  { label, name, outputs }: SourceReference,
): readonly string[] {
  const source = outputs.find(({ settings }) => settings.label === label)?.settings;
  if (source === undefined) return ['names no output of this job'];
  if (playlistExtensionOf(playlist) === '.smil') return [];
  if (name === 'captions' && isCaptionPlaylist(source) && playlistExtensionOf(playlist) === '.m3u8')
    return [];
  if (!isSegmented(source)) return ['must name a segmented output'];
  if (playlist.packaging !== undefined)
    return source.packaging === undefined ? ['must name an output with packaging cmaf'] : [];
  if (playlistExtensionOf(playlist) === '.m3u8')
    return isDash(source) ? ['must name an output with a playlist of HLS'] : [];
  return isDash(source) || source.packaging !== undefined
    ? []
    : ['must name an output with segments for dash or cmaf'];
}

function playlistExtensionOf(settings: OutputSettings): string {
  return playlistExtension(settings, settings.url ?? settings.filename);
}

/**
 * Whether the hosted playlists and segmented outputs of a request share a folder, so that the addresses in a playlist are names and its files
 * can be downloaded together. Not if two of them have the same name.
 */
export function hasSharedFolder(outputs: readonly OutputSettings[]): boolean {
  const hosted = outputs.filter(
    (output) =>
      output.url === undefined &&
      output.base_url === undefined &&
      (isPlaylist(output) || isSegmented(output) || isCaptionPlaylist(output)),
  );
  const names = hosted.flatMap((output) => {
    const name = output.filename ?? (isPlaylist(output) ? defaultPlaylistName : null);
    return name === null ? [] : [withoutExtension(fileNameInUrl(name)).toLowerCase()];
  });
  return hosted.some(isPlaylist) && new Set(names).size === names.length;
}
