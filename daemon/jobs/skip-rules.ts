import type { OutputSettings } from '../../src/shared/settings/index.js';
import { displaySize, type MediaFacts } from './media.js';

/** The rules of `skip` of an output. */
type SkipRules = NonNullable<OutputSettings['skip']>;

/** What the rules compare: null if the input lacks it or does not report it. */
interface Measured {
  readonly area: number | null;
  readonly seconds: number | null;
  readonly audioKbps: number | null;
  readonly videoKbps: number | null;
}

/**
 * Whether the `skip` rules of an output exclude it for this input. One matching rule is enough; an equal value does not match. A rule
 * about something that the input lacks or does not report is ignored. `media` is null if nothing is recognised in the input.
 */
export function isExcluded({ skip = {} }: OutputSettings, media: MediaFacts | null): boolean {
  const video = media?.video ?? null;
  const audio = media?.audio ?? null;
  if (skip.require_audio === true && audio === null) return true;
  if (skip.require_video === true && video === null) return true;
  const size = video === null ? null : displaySize(video);
  return isOutside(skip, {
    area: size === null ? null : size.width * size.height,
    seconds: media?.durationSeconds ?? null,
    audioKbps: audio?.bitrateKbps ?? null,
    videoKbps: video?.bitrateKbps ?? null,
  });
}

function isOutside(rules: SkipRules, { area, seconds, audioKbps, videoKbps }: Measured): boolean {
  const ranges = [
    [area, areaOf(rules.min_size), areaOf(rules.max_size)],
    [seconds, rules.min_duration, rules.max_duration],
    [audioKbps, rules.min_audio_bitrate, rules.max_audio_bitrate],
    [videoKbps, rules.min_video_bitrate, rules.max_video_bitrate],
  ] as const;
  return ranges.some(
    ([value, min, max]) =>
      value !== null && ((min !== undefined && value < min) || (max !== undefined && value > max)),
  );
}

function areaOf(size: SkipRules['min_size']): number | undefined {
  return size === undefined ? undefined : size.width * size.height;
}
