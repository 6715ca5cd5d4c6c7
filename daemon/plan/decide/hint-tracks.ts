import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { AudioCodec, Container, VideoCodec } from '../formats.js';
import type { Capabilities } from '../plan-types.js';

/** Muxers that write hint tracks. */
const muxers: readonly string[] = ['mp4', 'mov', '3gp', '3g2'];

/** Codecs with a packet format that every build writes. */
const hintedCodecs: readonly string[] = ['h264', 'hevc', 'mpeg4', 'aac', 'mp3', 'pcm', 'amr'];
/** Those that only newer builds write. */
const newlyHintedCodecs: readonly string[] = ['vp9', 'opus'];

/** The codecs of an output; null for a missing stream. */
interface Codecs {
  readonly video: VideoCodec | null;
  readonly audio: AudioCodec | null;
}

/** Why `hint` has no effect on an output; null if it has one, or is off. */
export function reasonWithoutHints(settings: OutputSettings, { muxer }: Container): string | null {
  if (settings.hint !== true) return null;
  if (!muxers.includes(muxer)) return 'only MP4, QuickTime and 3GPP files have hint tracks';
  return settings.copy_video === true || settings.copy_audio === true ? 'a stream is copied' : null;
}

/** Whether an output has hint tracks. */
export function hasHintTracks(settings: OutputSettings, container: Container): boolean {
  return settings.hint === true && reasonWithoutHints(settings, container) === null;
}

/**
 * Validation errors of `hint`: the codecs for which this ffmpeg writes no hint tracks. `path` is the path of the
 * output.
 */
export function hintErrors(
  settings: OutputSettings,
  { video, audio }: Codecs,
  container: Container,
  { hasFpsMode }: Pick<Capabilities, 'hasFpsMode'>,
  path: string,
): readonly string[] {
  if (!hasHintTracks(settings, container)) return [];
  const known = [...hintedCodecs, ...(hasFpsMode ? newlyHintedCodecs : [])];
  return [video, audio]
    .filter((codec) => codec !== null && !known.includes(codec))
    .map((codec) => `${path}.hint must be omitted: the installed ffmpeg writes no hint tracks for ${codec}`);
}
