import { isCaptionPlaylist, isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist, playlistExtension, type StreamSettings } from '../../src/shared/settings/playlists.js';
import { isDash, isSegmented } from '../../src/shared/settings/segments.js';
import { memoizeByKey } from '../../src/shared/util/collections.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { sourceOfStream } from '../jobs/playlists.js';
import { dashProfileOf } from '../plan/decide/packaging.js';

/** An output of a request, with its destinations; they are absent if its settings are invalid. */
interface CheckedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination?: OutputDestinations;
}

/** A playlist of a request, and its path there. */
interface CheckedPlaylist extends CheckedOutput {
  readonly path: string;
  /** What it is: SMIL, a manifest of DASH, a playlist of HLS, or both of these. */
  readonly kind: 'smil' | 'dash' | 'hls' | 'cmaf';
  readonly outputs: readonly CheckedOutput[];
}

/**
 * Validation errors of what playlists list: each entry must name an output of the request that has what it needs, or be
 * complete without one.
 */
export function playlistErrors(outputs: readonly CheckedOutput[]): readonly string[] {
  const errors = outputs.flatMap((output, index) => {
    if (!isPlaylist(output.settings)) return [];
    const playlist = { ...output, path: `outputs[${index}]`, kind: kindOf(output.settings), outputs };
    return [
      ...streamErrors(playlist),
      ...alternateAudioErrors(playlist),
      ...captionErrors(playlist),
      ...profileErrors(playlist),
    ];
  });
  return [
    ...(hasMedia(outputs) ? [] : ['outputs must have one that is not a playlist or captions']),
    ...errors,
  ];
}

/** Whether a request with playlists has an output that is neither a playlist nor captions. Captions may be alone. */
function hasMedia(outputs: readonly CheckedOutput[]): boolean {
  return (
    !outputs.some(({ settings }) => isPlaylist(settings)) ||
    outputs.some(({ settings }) => !isPlaylist(settings) && !isCaptions(settings))
  );
}

function kindOf(settings: OutputSettings): CheckedPlaylist['kind'] {
  if (settings.packaging !== undefined) return 'cmaf';
  const extension = playlistExtension(settings, settings.url ?? settings.filename);
  return ({ '.smil': 'smil', '.mpd': 'dash', '.m3u8': 'hls' } as const)[extension];
}

function streamErrors(playlist: CheckedPlaylist): readonly string[] {
  const { settings } = playlist;
  const groups = (settings.alternate_audio ?? []).map(({ group }) => group);
  return (settings.streams ?? []).flatMap((stream, index): readonly string[] => {
    const path = `${playlist.path}.streams[${index}]`;
    return [
      ...(stream.audio === undefined || groups.includes(stream.audio)
        ? []
        : [`${path}.audio names no group of alternate_audio`]),
      ...streamSourceErrors(playlist, stream).map((error) => `${path}.${error}`),
    ];
  });
}

function streamSourceErrors(playlist: CheckedPlaylist, stream: StreamSettings): readonly string[] {
  const { settings, kind, outputs, outputDestination } = playlist;
  if (stream.source !== undefined)
    return sourceErrors(playlist, 'streams', stream.source).map((error) => `source ${error}`);
  if (stream.path === undefined) return ['path must be given if there is no source'];
  const source =
    outputDestination === undefined
      ? undefined
      : sourceOfStream(withDestinations(outputs), { settings, ...outputDestination }, stream);
  if (needsSource(kind) && source === undefined) return ['source must be given for dash and cmaf'];
  return stream.bandwidth !== undefined || source !== undefined
    ? []
    : ['bandwidth must be given if there is no source'];
}

/** The outputs whose destinations are known. */
const withDestinations = memoizeByKey((outputs: readonly CheckedOutput[]) =>
  outputs.flatMap(({ settings, outputDestination }) =>
    outputDestination === undefined ? [] : [{ settings, ...outputDestination }],
  ),
);

/** Whether a manifest is written, which lists only what was measured. */
function needsSource(kind: CheckedPlaylist['kind']): boolean {
  return kind === 'dash' || kind === 'cmaf';
}

function alternateAudioErrors(playlist: CheckedPlaylist): readonly string[] {
  return (playlist.settings.alternate_audio ?? []).flatMap(({ source }, index) => {
    const path = `${playlist.path}.alternate_audio[${index}]`;
    if (source !== undefined)
      return sourceErrors(playlist, 'alternate_audio', source).map((error) => `${path}.source ${error}`);
    return needsSource(playlist.kind) ? [`${path}.source must be given for dash and cmaf`] : [];
  });
}

function captionErrors(playlist: CheckedPlaylist): readonly string[] {
  return (playlist.settings.captions ?? []).flatMap(({ source, path: address }, index) => {
    const path = `${playlist.path}.captions[${index}]`;
    if (source !== undefined)
      return sourceErrors(playlist, 'captions', source).map((error) => `${path}.source ${error}`);
    return address === undefined && playlist.kind !== 'smil'
      ? [`${path}.path must be given if there is no source`]
      : [];
  });
}

/** The sources of a manifest have segments of one kind. */
function profileErrors({ kind, path, settings, outputs }: CheckedPlaylist): readonly string[] {
  if (kind !== 'dash') return [];
  const labels = new Set(
    [...(settings.streams ?? []), ...(settings.alternate_audio ?? [])].flatMap(({ source }) => source ?? []),
  );
  const profiles = outputs
    .map((output) => output.settings)
    .filter(({ label }) => label !== undefined && labels.has(label))
    .flatMap((source) => dashProfileOf(source) ?? []);
  return new Set(profiles).size > 1
    ? [`${path}.streams must have sources of one streaming_delivery_profile`]
    : [];
}

/** What is wrong with the output that an entry of a list of a playlist names by its label. */
function sourceErrors(
  { kind, outputs }: CheckedPlaylist,
  list: 'streams' | 'alternate_audio' | 'captions',
  label: string,
): readonly string[] {
  const source = outputs.find(({ settings }) => settings.label === label)?.settings;
  if (source === undefined) return ['names no output of this job'];
  if (kind === 'smil')
    return isPlaylist(source) || isCaptions(source) ? ['must name an output with video or audio'] : [];
  if (list === 'captions' && kind !== 'dash' && isCaptionPlaylist(source)) return [];
  if (!isSegmented(source)) return ['must name a segmented output'];
  if (kind === 'cmaf')
    return source.packaging === undefined ? ['must name an output with packaging cmaf'] : [];
  if (kind === 'hls') return isDash(source) ? ['must name an output with a playlist of HLS'] : [];
  return isDash(source) || source.packaging !== undefined
    ? []
    : ['must name an output with segments for dash or cmaf'];
}
