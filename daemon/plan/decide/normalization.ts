import type { OutputSettings } from '../../../src/shared/settings/index.js';

/** The loudness of audio by EBU R 128. */
export interface Loudness {
  readonly integratedLufs: number;
  readonly truePeakDb: number;
  /** Quieter parts do not count. */
  readonly thresholdLufs: number;
}

/**
 * What was measured in the audio of an output. Each value is of the audio with all effects up to that point; null if
 * that is silent, absent if it was not measured.
 */
export interface MeasuredAudio {
  /** The peak before expansion and compression, in dB. */
  readonly peakBeforeDynamics?: number | null;
  /** The peak after them, in dB. */
  readonly peakAfterDynamics?: number | null;
  /** The loudness after them. */
  readonly loudness?: Loudness | null;
}

/** A value of `MeasuredAudio`. */
export type AudioMeasurement = keyof MeasuredAudio;

/** How the volume is adapted to what was measured. Null leaves it unchanged. */
export interface Normalization {
  /** The gain in dB before expansion and compression. */
  readonly gainBeforeDb: number | null;
  /** The gain in dB after them. */
  readonly gainAfterDb: number | null;
  readonly loudness: { readonly targetLufs: number; readonly measured: Loudness } | null;
  /** What must be measured before this can be decided completely; null if nothing. */
  readonly missing: AudioMeasurement | null;
}

/** The peak of normalised audio in dB, so that rounding does not exceed full scale. */
const peakDb = -0.1;

/** Decides how the volume of an output is adapted, from what was measured so far. */
export function decideNormalization(settings: OutputSettings, measured: MeasuredAudio): Normalization {
  const { before, after } = neededMeasurements(settings);
  const { audio_loudness_level: targetLufs } = settings;
  const { loudness = null } = measured;
  return {
    gainBeforeDb: before === null ? null : gainFor(measured[before]),
    gainAfterDb: after === 'peakAfterDynamics' ? gainFor(measured[after]) : null,
    loudness: targetLufs === undefined || loudness === null ? null : { targetLufs, measured: loudness },
    missing: [before, after].find((one) => one !== null && measured[one] === undefined) ?? null,
  };
}

/** What an output needs measured before expansion and compression, and after them. */
function neededMeasurements(settings: OutputSettings): {
  readonly before: 'peakBeforeDynamics' | null;
  readonly after: 'peakAfterDynamics' | 'loudness' | null;
} {
  const { audio_normalize: both = false, audio_pre_normalize, audio_post_normalize } = settings;
  // Without them, both gains would be one.
  const hasDynamics =
    settings.audio_expansion_ratio !== undefined || settings.audio_compression_ratio !== undefined;
  return {
    before: audio_pre_normalize === true || (both && hasDynamics) ? 'peakBeforeDynamics' : null,
    after:
      settings.audio_loudness_level !== undefined
        ? 'loudness'
        : both || audio_post_normalize === true
          ? 'peakAfterDynamics'
          : null,
  };
}

function gainFor(measuredDb: number | null | undefined): number | null {
  return measuredDb === undefined || measuredDb === null ? null : peakDb - measuredDb;
}
