import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { JobOutput } from '../jobs/job.js';
import { forcingSettings } from '../plan/decide/keyframes.js';
import { extensionOf } from '../plan/formats.js';

/**
 * The settings that decide which encoders, filters, muxers and versions of ffmpeg `checkCombination` demands. All are words or yes and no: a
 * job with other numbers, times or texts needs nothing else. What is not here and not in `forcingSettings` never changes the answer for a
 * job that was accepted.
 */
const decisiveSettings = [
  ...(['type', 'format', 'streaming_delivery_format', 'packaging'] as const),
  ...([
    'skip_video',
    'copy_video',
    'video_codec',
    'video_codec_profile',
    'video_bit_depth',
    'tuning',
  ] as const),
  ...(['skip_audio', 'copy_audio', 'audio_codec', 'hint', 'skip_captions', 'subtitles'] as const),
] as const satisfies readonly (keyof OutputSettings)[];

/** What an output of a job needs from ffmpeg. */
export interface OutputNeeds {
  readonly settings: OutputSettings;
  /** The name of its file. */
  readonly filename: string;
}

/** What an output needs from ffmpeg; null if its file is not encoded. */
export function needsOfOutput({ settings, destination }: JobOutput): OutputNeeds | null {
  if (!isEncoded(settings)) return null;
  return {
    settings: decisiveOf(settings),
    filename: decisiveName(settings, fileNameInUrl(destination)),
  };
}

/** Whether the file of an output is encoded, and not only transferred or written. */
export function isEncoded(settings: OutputSettings): boolean {
  return !isTransferOnly(settings) && !isPlaylist(settings) && !isCaptions(settings);
}

function decisiveOf(settings: OutputSettings): OutputSettings {
  return {
    ...Object.fromEntries(
      decisiveSettings.flatMap((name) => (isGiven(settings[name]) ? [[name, settings[name]]] : [])),
    ),
    // Any of them, with any value, needs an encoder that places keyframes.
    ...(forcingSettings(settings).length === 0 ? {} : { forced_keyframe_rate: 1 }),
  };
}

/** No setting of the list differs between false and absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** A name with the extension, if that decides the container. */
function decisiveName(settings: OutputSettings, name: string): string {
  return `file${settings.format !== undefined || isSegmented(settings) ? '' : extensionOf(name)}`;
}
