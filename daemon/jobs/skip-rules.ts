import type { OutputSettings } from '../../src/shared/settings/index.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import { displaySize, type MediaFacts } from './media.js';

/** The rules of `skip` of an output. */
type SkipRules = NonNullable<OutputSettings['skip']>;

/** What the rules compare: null if the input lacks it or does not report it. */
interface Measured {
  readonly area: number | null;
  /** The height as displayed. */
  readonly height: number | null;
  readonly seconds: number | null;
  readonly audioKbps: number | null;
  readonly videoKbps: number | null;
}

/**
 * Why the `skip` rules of an output exclude it for this input, as a sentence; null if they do not. One matching rule is
 * enough; an equal value does not match. A rule about something that the input lacks or does not report is ignored.
 * `media` is null if nothing is recognised in the input.
 */
export function exclusionReason({ skip = {} }: OutputSettings, media: MediaFacts | null): string | null {
  const video = media?.video ?? null;
  const audio = media?.audio ?? null;
  if (skip.require_audio === true && audio === null) return skippedBecause('the input has no audio');
  if (skip.require_video === true && video === null) return skippedBecause('the input has no video');
  const size = video === null ? null : displaySize(video);
  const rule = brokenRule(skip, {
    area: size === null ? null : size.width * size.height,
    height: size === null ? null : size.height,
    seconds: media?.durationSeconds ?? null,
    audioKbps: audio?.bitrateKbps ?? null,
    videoKbps: video?.bitrateKbps ?? null,
  });
  return rule === null ? null : skippedBecause(rule);
}

/**
 * Why `skip.min_saving` of an output excludes its encoded file, as a sentence; null if it does not. Sizes are in bytes,
 * those of whole files.
 */
export function savingReason({ skip }: OutputSettings, fileBytes: number, inputBytes: number): string | null {
  const saving = skip?.min_saving;
  if (saving === undefined || fileBytes <= inputBytes * (1 - saving / 100)) return null;
  const sizes = `its file has ${formatBytes(fileBytes)} and the input ${formatBytes(inputBytes)}`;
  return skippedBecause(`${sizes}, and skip.min_saving asks for ${saving} percent less`);
}

/** The sentence in the record of a skipped output. */
export function skippedBecause(reason: string): string {
  return `This output was skipped, because ${reason}.`;
}

/** The first rule that the input breaks, as a clause. */
function brokenRule(
  rules: SkipRules,
  { area, height, seconds, audioKbps, videoKbps }: Measured,
): string | null {
  const ranges = [
    ['size', 'pixels', area, areaOf(rules.min_size), areaOf(rules.max_size)],
    ['height', 'lines', height, rules.min_height, rules.max_height],
    ['duration', 'seconds', seconds, rules.min_duration, rules.max_duration],
    ['audio_bitrate', 'Kbps of audio', audioKbps, rules.min_audio_bitrate, rules.max_audio_bitrate],
    ['video_bitrate', 'Kbps of video', videoKbps, rules.min_video_bitrate, rules.max_video_bitrate],
  ] as const;
  for (const [name, unit, value, min, max] of ranges) {
    if (value === null) continue;
    if (min !== undefined && value < min)
      return `the input has ${value} ${unit}, and skip.min_${name} asks for ${min}`;
    if (max !== undefined && value > max)
      return `the input has ${value} ${unit}, and skip.max_${name} allows ${max}`;
  }
  return null;
}

function areaOf(size: SkipRules['min_size']): number | undefined {
  return size === undefined ? undefined : size.width * size.height;
}
