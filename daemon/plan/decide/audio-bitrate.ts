import { type ChannelCount, layoutOf } from '../../../src/shared/settings/channels.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { audioBitrateStepKbps, audioKilobitsPerChannel } from '../../../src/shared/settings/limits.js';
import type { RequestWarning } from '../../../src/shared/settings/setting.js';
import { type AudioEncoder, type AudioEncoderName, audioEncoders } from '../audio-encoders.js';
import type { Container } from '../formats.js';
import { knownChannels } from './audio-channels.js';
import { type BitrateRange, bitrateRange } from './audio-limits.js';
import { knownSampleRate, sampleRatesOf } from './sample-rates.js';

/** What the bitrates of an audio stream depend on, besides its encoder. */
interface AudioForm {
  readonly sampleRate: number;
  readonly channels: ChannelCount;
}

/** A bitrate that its encoder can produce. */
interface CorrectedBitrate {
  readonly kbps: number;
  /** What was corrected, to append to the name of the setting, without a full stop; null if nothing was. */
  readonly message: string | null;
  /** The error in strict mode, in the same form; null if nothing was corrected. */
  readonly strictError: string | null;
}

/** The possible bitrate that is nearest to a requested one, both in Kbps for all channels together. */
export function correctAudioBitrate(
  requestedKbps: number,
  encoder: AudioEncoder,
  { sampleRate, channels }: AudioForm,
): CorrectedBitrate {
  const { codec } = encoder;
  const layout = layoutOf(channels);
  const perChannels = audioKilobitsPerChannel * channels;
  const range = bitrateRange(codec, sampleRate, channels);
  const isTooHigh = requestedKbps >= perChannels;
  const inRange = Math.max(range.min, Math.min(requestedKbps, range.max, perChannels - audioBitrateStepKbps));
  const kbps = possibleKbps(inRange, encoder, sampleRate, range);
  if (kbps === requestedKbps) return { kbps, message: null, strictError: null };
  const bounds = `from ${range.min} to ${range.max}`;
  const form = `${layout} ${codec} at ${sampleRate} Hz`;
  const [reason, rule] =
    inRange === requestedKbps
      ? [`${codec} has no bitrate of ${requestedKbps} Kbps`, `must be ${kbps} or another bitrate of ${codec}`]
      : isTooHigh
        ? [
            `${layout} audio has less than ${perChannels} Kbps`,
            `must be below ${perChannels} for ${layout} audio`,
          ]
        : [`${form} has bitrates ${bounds} Kbps`, `must be ${bounds} for ${form}`];
  return { kbps, message: `was corrected to ${kbps}: ${reason}`, strictError: rule };
}

/**
 * The bitrate that an encoder has instead of a requested one: the nearest, the lower one in a tie, or the next higher
 * one.
 */
function possibleKbps(
  kbps: number,
  { onlyKbps }: AudioEncoder,
  sampleRate: number,
  { min, max }: BitrateRange,
): number {
  if (onlyKbps === undefined) return kbps;
  const rates = onlyKbps.rates(sampleRate).filter((one) => one >= min && one <= max);
  if (onlyKbps.pick === 'next') return rates.find((one) => one >= kbps) ?? kbps;
  const distance = (one: number) => Math.abs(one - kbps);
  return rates.reduce((best, one) => (distance(one) < distance(best) ? one : best), rates[0] ?? kbps);
}

/**
 * The bitrate of an output, if the request alone determines it; else null. If the channels depend on the
 * input, it may be stereo, which has the wider range; a mono input is corrected when it is known.
 */
export function knownAudioBitrate(
  settings: OutputSettings,
  encoder: AudioEncoder,
  container: Container,
): CorrectedBitrate | null {
  const { codec } = encoder;
  const sampleRate = knownSampleRate(settings, sampleRatesOf(codec, container));
  const { audio_bitrate: kbps, audio_quality } = settings;
  if (sampleRate === null || kbps === undefined || audio_quality !== undefined) return null;
  const channels = knownChannels(settings, codec) ?? 2;
  return correctAudioBitrate(kbps, encoder, { sampleRate, channels });
}

/** A bitrate that the codec lacks at the requested sample rate is corrected, with a warning. */
export function audioBitrateWarnings(
  settings: OutputSettings,
  { encoder }: { readonly encoder: AudioEncoderName },
  container: Container,
  path: string,
): readonly RequestWarning[] {
  const { message = null, strictError } =
    knownAudioBitrate(settings, audioEncoders[encoder], container) ?? {};
  if (message === null || strictError == null) return [];
  return [{ field: `${path}.audio_bitrate`, message, strictError }];
}
