import { captionFormat, isCaptionPlaylist } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import { memoizeByKey } from '../../src/shared/util/collections.js';
import { checkCombination } from '../plan/check-combination.js';
import { extensionOf } from '../plan/formats.js';
import type { Capabilities } from '../plan/plan-types.js';
import { turnsOff } from '../plan/stream-settings.js';
import type { DestinationOptions } from './resolve-destination.js';

/** What a check of the settings of an output that is not encoded found. */
export interface CheckedSettings {
  /** The settings that apply. */
  readonly kept: OutputSettings;
  /** The name of its file if the settings have none. */
  readonly name: Pick<DestinationOptions, 'filename' | 'extension'>;
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/**
 * The settings that apply to every output, and are all that apply to a file that is transferred, except for its source.
 */
const deliveryNames = [
  ...['type', 'label', 'url', 'base_url', 'filename', 'secondary_url', 'credentials', 'overwrite', 'headers'],
  ...['public', 'access_control', 'rrs', 'notifications', 'strict', 'skip', 'parallel_upload_limit'],
];
const transferNames: ReadonlySet<string> = new Set([...deliveryNames, 'source']);
const playlistNames: ReadonlySet<string> = new Set([
  ...deliveryNames,
  ...['playlist_format', 'format', 'streaming_delivery_format', 'streaming_delivery_profile', 'packaging'],
  ...['streams', 'alternate_audio', 'captions', 'allow_skipped_sources', 'smil_base_url'],
]);
const captionNames: ReadonlySet<string> = new Set([
  ...deliveryNames,
  ...['format', 'caption_url', 'language', 'start_clip', 'clip_length'],
]);
const captionPlaylistNames: ReadonlySet<string> = new Set([
  ...captionNames,
  ...['segmented', 'segment_seconds', 'streaming_delivery_format'],
]);

/** The settings with these names, and a warning for each other one that asks for something. */
function keep(
  settings: OutputSettings,
  path: string,
  names: ReadonlySet<string>,
  { reason, isSilent }: { readonly reason: string; isSilent(name: string, value: unknown): boolean },
): Pick<CheckedSettings, 'kept' | 'warnings'> {
  const entries = Object.entries(settings);
  return {
    // Each value stays under its own name, which the compiler cannot infer.
    kept: Object.fromEntries(entries.filter(([name]) => names.has(name))) as OutputSettings,
    warnings: entries
      .filter(([name, value]) => !names.has(name) && !isSilent(name, value))
      .map(([name]) => ({ field: `${path}.${name}`, message: `has no effect: ${reason}` })),
  };
}

/** The settings come from parsing, so their names are those of the table. */
const isOff = (name: string, value: unknown) => turnsOff(name as keyof OutputSettings, value);

/** The settings that apply to an output that is only transferred. */
export function transferSettings(
  settings: OutputSettings,
  path: string,
  parts: RequestParts,
  capabilities: Capabilities,
): CheckedSettings {
  const reason = 'the file is transferred unchanged';
  const { kept, warnings } = keep(settings, path, transferNames, { reason, isSilent: isOff });
  return { kept, name: transferredName(parts, kept, capabilities), validationErrors: [], warnings };
}

/** The outputs and the input of a request, as far as they are valid. */
interface RequestParts {
  readonly input?: string;
  readonly outputs: readonly OutputSettings[];
}

/**
 * The file name of an output that is only transferred, if its settings have none: that of the input; with a `source`,
 * the label of the output with the extension of the source. Null for a random name with that extension.
 */
function transferredName(
  parts: RequestParts,
  { label, source }: OutputSettings,
  capabilities: Capabilities,
): { readonly filename: string | null; readonly extension: string } {
  const inputName = fileNameInUrl(parts.input ?? '');
  const isUsable = !/^\.{0,2}$|[/\\\p{Cc}]/u.test(inputName);
  const extension = isUsable || source !== undefined ? extensionOfSource(parts, source, capabilities) : '';
  if (source === undefined && isUsable) return { filename: inputName, extension };
  const name = label?.replaceAll(/[/\\\p{Cc}]|^\.+/gu, '_');
  return { filename: name === undefined ? null : `${name}${extension}`, extension };
}

/** The extension of the file that an output is transferred from. */
function extensionOfSource(
  { input = '', outputs }: RequestParts,
  label: string | undefined,
  capabilities: Capabilities,
): string {
  // An invalid request may have a cycle of sources.
  const visited = new Set<string>();
  let next = label;
  while (next !== undefined && !visited.has(next)) {
    visited.add(next);
    const source = outputsByLabel(outputs).get(next);
    if (source === undefined) return '';
    const filename = source.url === undefined ? (source.filename ?? null) : fileNameInUrl(source.url);
    if (!isTransferOnly(source)) {
      const combination = checkCombination(source, filename, capabilities, 'output');
      return combination.ok ? combination.extension : '';
    }
    if (filename !== null) return extensionOf(filename);
    next = source.source;
  }
  return next === undefined ? extensionOf(fileNameInUrl(input)) : '';
}

const outputsByLabel = memoizeByKey(
  (outputs: readonly OutputSettings[]) =>
    new Map(outputs.toReversed().map((output) => [output.label, output])),
);

/** The settings that apply to an output of captions, and an error for a format that cannot be made. */
export function captionSettings(settings: OutputSettings, path: string): CheckedSettings {
  const found = captionFormat(settings, fileNameInUrl(settings.url ?? settings.filename ?? ''));
  const field = settings.format !== undefined ? 'format' : settings.url === undefined ? 'filename' : 'url';
  const captions = settings.caption_url ?? [];
  const isFromOther = 'format' in found && found.format === 'scc' && (captions[0]?.format ?? 'scc') !== 'scc';
  return {
    ...keep(settings, path, isCaptionPlaylist(settings) ? captionPlaylistNames : captionNames, {
      reason: 'the output is captions',
      isSilent: (name, value) => name === 'source' || isOff(name, value),
    }),
    name: { extension: 'extension' in found ? found.extension : '' },
    validationErrors: [
      ...('reason' in found ? [`${path}.${field} ${found.reason}`] : []),
      ...(isFromOther
        ? [`${path}.${field} cannot be made: there is no encoder for CEA-608, so scc needs a file of scc`]
        : []),
      ...(captions.length > 1 ? [`${path}.caption_url must have one entry if type is captions`] : []),
      ...(settings.source === undefined
        ? []
        : [`${path}.source must be omitted: captions are made from the input or caption_url`]),
    ],
  };
}

/** Values that mean a playlist of HTTP Live Streaming, and a manifest of DASH. */
const formats: readonly string[] = ['hls', 'm3u', 'm3u8', 'highwinds', 'dash', 'mpd'];

/** The default names of playlists. */
const defaultNames = { '.m3u8': 'master.m3u8', '.mpd': 'manifest.mpd', '.smil': 'playlist.smil' } as const;

/** The name of a playlist that the request does not name. */
function defaultPlaylistName(settings: OutputSettings): string {
  return defaultNames[playlistExtension(settings)];
}

/** The settings that apply to a playlist, and an error for a format that cannot be written. */
export function playlistSettings(settings: OutputSettings, path: string): CheckedSettings {
  const names = ['playlist_format', 'format', 'streaming_delivery_format'] as const;
  const given = names.find((name) => settings[name] !== undefined);
  const format = given === undefined ? null : String(settings[given]);
  const named = fileNameInUrl(settings.url ?? settings.filename ?? '');
  const isOtherName = given === undefined && /\.ism$/i.test(named);
  // The values of playlist_format are checked with the other settings.
  const isWrong = format !== null && given !== 'playlist_format' && !formats.includes(format);
  const { kept, warnings } = keep(settings, path, playlistNames, {
    reason: 'the output is a playlist',
    isSilent: (_, value) => value === undefined,
  });
  return {
    kept,
    name: { filename: defaultPlaylistName(kept), extension: '' },
    validationErrors: [
      ...(isWrong ? [`${path}.${given} ${formatError(format)}`] : []),
      ...(isOtherName
        ? [
            `${path}.${settings.url === undefined ? 'filename' : 'url'} must end in .m3u8, .mpd or .smil: other playlists cannot be made`,
          ]
        : []),
    ],
    warnings: [...smilWarnings(settings, path), ...warnings],
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
 * Whether the hosted playlists and segmented outputs of a request share a folder, so that the addresses in a playlist
 * are names and its files can be downloaded together. Not if two of them have the same name.
 */
export function hasSharedFolder(outputs: readonly OutputSettings[]): boolean {
  const hosted = outputs.filter(
    (output) => output.url === undefined && output.base_url === undefined && mayShareFolder(output),
  );
  const names = hosted.flatMap((output) => {
    const name = output.filename ?? (isPlaylist(output) ? defaultPlaylistName(output) : null);
    return name === null ? [] : [withoutExtension(fileNameInUrl(name)).toLowerCase()];
  });
  return hosted.some(isPlaylist) && new Set(names).size === names.length;
}

/** Whether an output is a playlist, or has one. */
export function mayShareFolder(settings: OutputSettings): boolean {
  return isPlaylist(settings) || isSegmented(settings) || isCaptionPlaylist(settings);
}
