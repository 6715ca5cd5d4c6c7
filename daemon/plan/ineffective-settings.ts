import { audioEffectsTable } from '../../src/shared/settings/audio-effects.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import type { Combination } from './check-combination.js';

/** The facts that decide which settings have an effect on an output. */
interface OutputFacts {
  readonly settings: OutputSettings;
  readonly combination: Combination;
}

/** Settings that have no effect on some outputs. */
interface EffectRule {
  readonly names: readonly (keyof OutputSettings)[];
  /** Why they have no effect on an output; null if they have one. */
  readonly reason: (facts: OutputFacts) => string | null;
}

const videoSettings = [
  ...([
    'width',
    'height',
    'size',
    'upscale',
    'aspect_mode',
    'quality',
    'video_bitrate',
    'bitrate_cap',
  ] as const),
  ...([
    'buffer_size',
    'onepass',
    'speed',
    'deinterlace',
    'max_frame_rate',
    'frame_rate',
    'decimate',
  ] as const),
  ...(['keyframe_interval', 'rotate', 'watermark'] as const),
] as const;

const audioSettings: readonly (keyof OutputSettings)[] = [
  ...(['audio_quality', 'audio_bitrate', 'audio_sample_rate', 'audio_channels'] as const),
  ...(Object.keys(audioEffectsTable) as (keyof typeof audioEffectsTable)[]),
];

const rules: readonly EffectRule[] = [
  {
    names: videoSettings,
    reason: ({ combination }) => (combination.video === null ? 'the output has no video' : null),
  },
  {
    names: audioSettings,
    reason: ({ combination }) => (combination.audio === null ? 'the output has no audio' : null),
  },
  {
    names: ['audio_compression_threshold'],
    reason: ({ settings, combination }) =>
      combination.audio !== null && settings.audio_compression_ratio === undefined
        ? 'it needs audio_compression_ratio'
        : null,
  },
  {
    names: ['audio_expansion_threshold'],
    reason: ({ settings, combination }) =>
      combination.audio !== null && settings.audio_expansion_ratio === undefined
        ? 'it needs audio_expansion_ratio'
        : null,
  },
];

/** A warning for each setting that is valid but has no effect on this output. `path` is the path of the output. */
export function ineffectiveSettings(
  settings: OutputSettings,
  combination: Combination,
  path: string,
): readonly RequestWarning[] {
  return rules.flatMap(({ names, reason }) => {
    const given = names.filter((name) => settings[name] !== undefined);
    const why = given.length === 0 ? null : reason({ settings, combination });
    return why === null
      ? []
      : given.map((name) => ({ field: `${path}.${name}`, message: `has no effect: ${why}` }));
  });
}
