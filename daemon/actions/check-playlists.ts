import { isCaptionPlaylist } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { fileNameInUrl, withoutExtension } from '../../src/shared/text/url-text.js';

/** The settings that apply to a playlist. */
const playlistNames: ReadonlySet<string> = new Set([
  ...['type', 'label', 'url', 'base_url', 'filename', 'secondary_url', 'credentials', 'overwrite'],
  'headers',
  ...['public', 'access_control', 'rrs', 'notifications', 'strict', 'skip', 'parallel_upload_limit'],
  ...['playlist_format', 'format', 'streaming_delivery_format', 'streaming_delivery_profile', 'packaging'],
  ...['streams', 'alternate_audio', 'captions', 'allow_skipped_sources', 'smil_base_url'],
]);

/** Values that mean a playlist of HTTP Live Streaming, and a manifest of DASH. */
const formats: readonly string[] = ['hls', 'm3u', 'm3u8', 'highwinds', 'dash', 'mpd'];

/** The default names of playlists. */
const defaultNames = { '.m3u8': 'master.m3u8', '.mpd': 'manifest.mpd', '.smil': 'playlist.smil' } as const;

/** The name of a playlist that the request does not name. */
export function defaultPlaylistName(settings: OutputSettings): string {
  return defaultNames[playlistExtension(settings)];
}

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
      ...(isWrong ? [`${path}.${given} ${formatError(format)}`] : []),
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

function formatError(format: string): string {
  return format === 'ism' || format === 'mss'
    ? 'is not supported: use hls or dash instead of Smooth Streaming'
    : 'must be hls, m3u8 or dash if type is playlist; for SMIL, use a name that ends in .smil';
}

/** Settings of SMIL files in another playlist, and of others in a SMIL file. */
function smilWarnings(settings: OutputSettings, path: string): readonly RequestWarning[] {
  const isSmil = playlistExtension(settings, settings.url ?? settings.filename) === '.smil';
  const message = isSmil ? 'has no effect in a SMIL file' : 'has no effect: the playlist is not a SMIL file';
  const ofPlaylist = isSmil ? (['alternate_audio', 'captions'] as const) : (['smil_base_url'] as const);
  const ofStream = isSmil
    ? (['audio', 'captions', 'codecs', 'name'] as const)
    : (['width', 'height'] as const);
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
    const name = output.filename ?? (isPlaylist(output) ? defaultPlaylistName(output) : null);
    return name === null ? [] : [withoutExtension(fileNameInUrl(name)).toLowerCase()];
  });
  return hosted.some(isPlaylist) && new Set(names).size === names.length;
}
