import { captionFormat, isCaptionPlaylist } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { turnsOff } from '../plan/stream-settings.js';

/** The settings that apply to an output of captions. */
const captionNames: ReadonlySet<string> = new Set([
  ...['type', 'label', 'url', 'base_url', 'filename', 'secondary_url', 'credentials', 'overwrite'],
  'headers',
  ...['public', 'access_control', 'rrs', 'notifications', 'strict', 'skip', 'parallel_upload_limit'],
  ...['format', 'caption_url', 'language', 'start_clip', 'clip_length'],
]);
/** Those that apply to a playlist of captions. */
const playlistNames: ReadonlySet<string> = new Set([
  'segmented',
  'segment_seconds',
  'streaming_delivery_format',
]);

/** What a check of the settings of an output of captions found. */
interface CheckedCaptions {
  readonly kept: OutputSettings;
  /** With its dot; that of a generated name. */
  readonly extension: string;
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** The settings that apply to an output of captions, a warning for each of the others, and an error for a format that cannot be made. */
export function checkCaptions(settings: OutputSettings, path: string): CheckedCaptions {
  // The settings come from parsing, so their names are those of the table.
  const entries = Object.entries(settings) as [keyof OutputSettings, unknown][];
  const name = fileNameInUrl(settings.url ?? settings.filename ?? '');
  const found = captionFormat(settings, name);
  const isUsed = (one: string) =>
    captionNames.has(one) || (isCaptionPlaylist(settings) && playlistNames.has(one));
  const field = settings.format !== undefined ? 'format' : settings.url === undefined ? 'filename' : 'url';
  return {
    // The loop keeps each value under its own name, which the compiler cannot infer.
    kept: Object.fromEntries(entries.filter(([one]) => isUsed(one))) as OutputSettings,
    extension: 'extension' in found ? found.extension : '',
    validationErrors: [
      ...('reason' in found ? [`${path}.${field} ${found.reason}`] : []),
      ...('format' in found &&
      found.format === 'scc' &&
      (settings.caption_url?.[0]?.format ?? 'scc') !== 'scc'
        ? [`${path}.${field} cannot be made: there is no encoder for CEA-608, so scc needs a file of scc`]
        : []),
      ...((settings.caption_url ?? []).length > 1
        ? [`${path}.caption_url must have one entry if type is captions`]
        : []),
      ...(settings.source === undefined
        ? []
        : [`${path}.source must be omitted: captions are made from the input or caption_url`]),
    ],
    warnings: entries
      .filter(([other, value]) => !isUsed(other) && other !== 'source' && !turnsOff(other, value))
      .map(([other]) => ({ field: `${path}.${other}`, message: 'has no effect: the output is captions' })),
  };
}
