import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { RequestWarning } from '../../../src/shared/settings/setting.js';
import { type AudioCodec, type AudioCodecFacts, audioCodecs, type Container } from '../formats.js';

/** Maximum sample rate in Hz, and the default for an input without one. */
const maxSampleRate = 48_000;

/** The settings that decide the sample rate. */
type SampleRateSettings = Pick<OutputSettings, 'audio_sample_rate' | 'max_audio_sample_rate'>;

/** The sample rates in Hz that a codec supports in a container, highest first; null for all of 8000 to 48000. */
export function sampleRatesOf(codec: AudioCodec, container: Container): readonly number[] | null {
  const { sampleRates }: AudioCodecFacts = audioCodecs[codec];
  return container.sampleRates?.[codec] ?? sampleRates;
}

/** Decides the sample rate of an output in Hz. `inputRate` is that of the input; 0 if unknown. */
export function decideSampleRate(
  settings: SampleRateSettings,
  rates: readonly number[] | null,
  inputRate: number,
): number {
  return (
    knownSampleRate(settings, rates) ?? limitSampleRate(nearestSampleRate(inputRate, rates), settings, rates)
  );
}

/** The sample rate of an output in Hz, if it does not depend on the input; else null. */
export function knownSampleRate(
  settings: SampleRateSettings,
  rates: readonly number[] | null,
): number | null {
  const { audio_sample_rate: requested = rates?.length === 1 ? rates[0] : undefined } = settings;
  return requested === undefined
    ? null
    : limitSampleRate(correctedSampleRate(requested, rates), settings, rates);
}

/** A sample rate that the codec lacks is corrected, with a warning. */
export function sampleRateWarnings(
  { audio_sample_rate: requested, max_audio_sample_rate: max }: SampleRateSettings,
  codec: AudioCodec,
  container: Container,
  path: string,
): readonly RequestWarning[] {
  const rates = sampleRatesOf(codec, container);
  const lowest = rates?.at(-1) ?? 0;
  const corrected = requested === undefined ? undefined : correctedSampleRate(requested, rates);
  const supported =
    rates === null
      ? 'must be at most 48000'
      : `must be one of ${rates.join(', ')} for ${codec} in this container`;
  return [
    ...(requested === corrected
      ? []
      : [
          {
            field: `${path}.audio_sample_rate`,
            message: `was corrected to ${corrected}: ${codec} has no rate of ${requested} Hz in this container`,
            strictError: supported,
          },
        ]),
    ...(max !== undefined && max < lowest
      ? [
          {
            field: `${path}.max_audio_sample_rate`,
            message: `was corrected to ${lowest}: ${codec} has no lower rate in this container`,
            strictError: `must be at least ${lowest} for ${codec} in this container`,
          },
        ]
      : []),
  ];
}

/**
 * The sample rate that loses nothing: that of the input, or the next higher supported one, at most 48000 (section 4.1
 * Audio). It was not requested, so an unusual rate of the input is not an error.
 */
function nearestSampleRate(inputRate: number, supportedRates: readonly number[] | null): number {
  const rate = inputRate > 0 ? Math.min(inputRate, maxSampleRate) : maxSampleRate;
  if (supportedRates === null) return Math.max(rate, 8000);
  return supportedRates.findLast((candidate) => candidate >= rate) ?? supportedRates[0] ?? rate;
}

/** The supported rate that is nearest to a requested one, the lower one in a tie; at most 48000 Hz. */
function correctedSampleRate(requested: number, supportedRates: readonly number[] | null): number {
  const rate = Math.min(requested, maxSampleRate);
  if (supportedRates === null) return rate;
  const ascending = supportedRates.toReversed();
  const distance = (one: number) => Math.abs(one - rate);
  return ascending.reduce((best, one) => (distance(one) < distance(best) ? one : best), ascending[0] ?? rate);
}

/** The rate, or the highest one of the codec that is not above the maximum; its lowest if all are above. */
function limitSampleRate(
  rate: number,
  { max_audio_sample_rate: max = Number.POSITIVE_INFINITY }: SampleRateSettings,
  supportedRates: readonly number[] | null,
): number {
  if (rate <= max) return rate;
  if (supportedRates === null) return max;
  return supportedRates.find((one) => one <= max) ?? supportedRates.at(-1) ?? rate;
}
