import { captionFormat, isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { hasQualityLog, qualityLogName } from '../../src/shared/settings/quality.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { withoutExtension } from '../../src/shared/text/url-text.js';
import { captionPlace } from './decide/captions.js';
import { decidePackaging, type Packaging, segmentNames } from './decide/packaging.js';
import { containerOf, extensionOf, isExtension } from './formats.js';

/** A language in the name of captions: files declare it, so its form is not known. */
const language = '[^./]{1,100}';
const number = '\\d{1,9}';

/**
 * The names that files next to an output may have: segments, playlists, keys and captions. `filename` is that of the
 * output. A name that matches is not necessarily used: how many there are depends on the input.
 */
export function partNamePattern(settings: OutputSettings, filename: string): RegExp | null {
  const forms = partForms(settings, filename);
  return forms.length === 0 ? null : new RegExp(`^(?:${forms.join('|')})$`);
}

function partForms(settings: OutputSettings, filename: string): readonly string[] {
  const log = hasQualityLog(settings) ? [escaped(qualityLogName(filename))] : [];
  return [...log, ...otherForms(settings, filename)];
}

function otherForms(settings: OutputSettings, filename: string): readonly string[] {
  const stem = escaped(withoutExtension(filename));
  if (isTransferOnly(settings)) return [];
  if (isPlaylist(settings)) return settings.packaging === 'cmaf' ? [`${stem}\\.mpd`] : [];
  if (isCaptions(settings)) return isListed(settings, filename) ? [`${stem}-${number}\\.vtt`] : [];
  const packaging = decidePackaging(settings, { filename, extension: '' }, true);
  if (packaging !== null) return segmentedForms(packaging, stem);
  return hasCaptionFiles(settings, filename) ? [`${stem}\\.${language}\\.vtt`] : [];
}

function segmentedForms(packaging: Packaging, stem: string): readonly string[] {
  const { encryption, keyframePlaylist, hasHls, hasSeparateTracks, dashProfile } = packaging;
  const tracks = hasSeparateTracks ? (['video', 'audio'] as const) : [null];
  const ofTracks = tracks.flatMap((track) => {
    const names = segmentNames(packaging, track);
    const segment = escaped(names.segment(0)).replace(/00001(\\\.\w+)$/, `${number}$1`);
    const forms = [segment, escaped(names.header), ...(hasHls ? [`${escaped(names.stem)}\\.m3u8`] : [])];
    // Further tracks of audio are numbered.
    return track === 'audio' ? forms.map((form) => form.replace(/-audio/, '-audio(?:-\\d+)?')) : forms;
  });
  const captions = `${stem}-captions-${language}`;
  return [
    ...ofTracks,
    `${captions}\\.(?:m3u8|vtt)`,
    `${captions}-${number}\\.vtt`,
    ...(hasHls && dashProfile !== null ? [`${stem}\\.mpd`] : []),
    ...(keyframePlaylist === null ? [] : [escaped(keyframePlaylist)]),
    ...(encryption === null ? [] : [`${stem}(?:-${number})?\\.key`]),
  ];
}

/** Whether an output of captions is a playlist. */
function isListed(settings: OutputSettings, filename: string): boolean {
  const found = captionFormat(settings, filename);
  return 'format' in found && found.format === 'm3u8';
}

/** Whether the captions of an output may be in files next to it. */
function hasCaptionFiles(settings: OutputSettings, filename: string): boolean {
  if (isSegmented(settings)) return false;
  const extensions = [`.${settings.format ?? ''}`, extensionOf(filename)].filter(isExtension);
  return extensions.some((extension) => captionPlace(settings, containerOf(extension)) === 'files');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
