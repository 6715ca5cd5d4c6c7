import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { audioKilobitsPerChannel } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, MediaFacts } from '../../jobs/media.js';
import { type AudioEncoder, type AudioEncoderName, audioEncoders } from '../audio-encoders.js';
import { levelOf } from '../encoders.js';
import { type AudioCodec, type AudioCodecFacts, audioCodecs, type Container } from '../formats.js';
import { decideAudioEffects } from './audio-effects.js';
import { bitrateRange, fillableKbps } from './audio-limits.js';
import { isConstantRate, nearestConstantKbps } from './audio-options.js';
import { startWithin } from './clip.js';
import type { AudioDecision, Mixing } from './decisions.js';
import type { MeasuredAudio } from './normalization.js';

/** Maximum sample rate in Hz, and the default for an input without one. */
const maxSampleRate = 48_000;

/** Up to this many channels, ffmpeg knows the position of each, and downmixes by position. */
const maxPositionedChannels = 8;

/**
 * Decides the audio of an output, or returns why the settings cannot be met with this input. `lengthSeconds` is the duration of the
 * output; null if unknown. `measured` is what was measured in its audio so far.
 */
export function decideAudio(
  settings: OutputSettings,
  audio: AudioFacts,
  target: { readonly codec: AudioCodec; readonly encoder: AudioEncoderName; readonly container: Container },
  repack: AudioDecision['repack'],
  lengthSeconds: number | null,
  measured: MeasuredAudio = {},
): AudioResult {
  // AMR has one channel.
  const channels = (settings.audio_channels ?? audio.channels) === 1 || target.codec === 'amr' ? 1 : 2;
  const rates = sampleRatesOf(target.codec, target.container);
  const sampleRate = limitSampleRate(
    settings.audio_sample_rate === undefined
      ? nearestSampleRate(audio.sampleRate, rates)
      : correctedSampleRate(settings.audio_sample_rate, rates),
    settings.max_audio_sample_rate,
    rates,
  );
  const decided = decideAudioEffects(settings, {
    sampleRate: audio.sampleRate > 0 ? Math.min(audio.sampleRate, sampleRate) : sampleRate,
    channels: Math.min(audio.channels, channels),
    lengthSeconds,
    measured,
  });
  if ('failure' in decided) return decided;
  const { effects, warnings } = decided;
  const common = {
    effects,
    profile: target.codec === 'aac' && settings.force_aac_profile !== undefined ? 'aac_low' : null,
    streamIndex: audio.streamIndex,
    repack,
    encoder: target.encoder,
    sampleRate,
    bitDepth: settings.audio_bit_depth ?? 16,
    channels,
    mixing: decideMixing(audio.channels, channels),
  } as const;
  const requestedKbps = settings.audio_quality === undefined ? settings.audio_bitrate : undefined;
  if (requestedKbps === undefined) {
    const rate = { by: 'quality', level: levelOf(settings.audio_quality) } as const;
    return { audio: { ...common, rate }, warnings };
  }
  const fillable =
    settings.audio_sample_rate === undefined
      ? fillableKbps(target.codec, requestedKbps, sampleRate, channels)
      : requestedKbps;
  const encoder: AudioEncoder = audioEncoders[target.encoder];
  const range = bitrateRange(target.codec, sampleRate, channels);
  const isConstant = isConstantRate(settings);
  const kbps = isConstant
    ? nearestConstantKbps(fillable, encoder, range)
    : (encoder.allowedKbps?.find((one) => one >= fillable) ?? fillable);
  const validationError = validateAudioBitrate(target.codec, fillable, sampleRate, channels);
  if (validationError !== null) {
    return {
      failure: { errorClass: 'InvalidAudioSettingsError', message: `audio_bitrate ${validationError}.` },
    };
  }
  const corrections =
    kbps === fillable
      ? []
      : [`audio_bitrate was corrected to ${kbps}: ${target.codec} has no bitrate of ${fillable} Kbps.`];
  if (settings.strict === true && corrections[0] !== undefined)
    return { failure: { errorClass: 'InvalidAudioSettingsError', message: corrections[0] } };
  const rate = { by: 'bitrate', kbps, ...(isConstant ? { isConstant } : {}) } as const;
  return { audio: { ...common, rate }, warnings: [...warnings, ...corrections] };
}

/** The audio of an output with what was corrected, or why the settings cannot be met. */
type AudioResult =
  | { readonly audio: AudioDecision; readonly warnings: readonly string[] }
  | { readonly failure: JobFailure };

function decideMixing(from: number, to: 1 | 2): Mixing {
  if (from > maxPositionedChannels) return { by: 'order', channels: from };
  if (from <= to) return { by: 'nothing' };
  return { by: from === 2 ? 'average' : 'positions' };
}

/** The sample rates in Hz that a codec supports in a container, highest first; null for all of 8000 to 48000. */
export function sampleRatesOf(codec: AudioCodec, container: Container): readonly number[] | null {
  const { sampleRates }: AudioCodecFacts = audioCodecs[codec];
  return container.sampleRates?.[codec] ?? sampleRates;
}

/** Validates a bitrate in Kbps. Returns the error text to append to the name of the setting, or null if it is valid. */
export function validateAudioBitrate(
  codec: AudioCodec,
  kbps: number,
  sampleRate: number,
  channels: 1 | 2,
): string | null {
  const layout = channels === 1 ? 'mono' : 'stereo';
  if (kbps >= audioKilobitsPerChannel * channels) {
    return `must be below ${audioKilobitsPerChannel * channels} for ${layout} audio`;
  }
  const { min, max } = bitrateRange(codec, sampleRate, channels);
  if (kbps >= min && kbps <= max) return null;
  return `must be from ${min} to ${max} for ${layout} ${codec} at ${sampleRate} Hz`;
}

/**
 * The sample rate that loses nothing: that of the input, or the next higher supported one, at most 48000 (section 4.1 Audio). It
 * was not requested, so an unusual rate of the input is not an error.
 */
function nearestSampleRate(inputRate: number, supportedRates: readonly number[] | null): number {
  const rate = inputRate > 0 ? Math.min(inputRate, maxSampleRate) : maxSampleRate;
  if (supportedRates === null) return Math.max(rate, 8000);
  return supportedRates.findLast((candidate) => candidate >= rate) ?? supportedRates[0] ?? rate;
}

/** The supported rate that is nearest to a requested one, the lower one in a tie; at most 48000 Hz. */
export function correctedSampleRate(requested: number, supportedRates: readonly number[] | null): number {
  const rate = Math.min(requested, maxSampleRate);
  if (supportedRates === null) return rate;
  const ascending = supportedRates.toReversed();
  const distance = (one: number) => Math.abs(one - rate);
  return ascending.reduce((best, one) => (distance(one) < distance(best) ? one : best), ascending[0] ?? rate);
}

/** The rate, or the highest one of the codec that is not above `max`; its lowest if all are above. */
function limitSampleRate(
  rate: number,
  max = Number.POSITIVE_INFINITY,
  supportedRates: readonly number[] | null,
): number {
  if (rate <= max) return rate;
  if (supportedRates === null) return max;
  return supportedRates.find((one) => one <= max) ?? supportedRates.at(-1) ?? rate;
}

/** Codecs of which phones write dozens of frames into one packet. */
const packedCodecs: ReadonlySet<string> = new Set(['amr_nb', 'amr_wb']);

/**
 * Decides whether the audio must be repacked before it is decoded. ffmpeg 5 decodes only the first frame of an AMR packet,
 * without an error, which leaves a fiftieth of the audio of a phone's file; 4.1 and 7.0 decode all frames. An AMR file has one
 * frame in each packet, and all versions decode that.
 */
export function decideRepack(media: MediaFacts): AudioDecision['repack'] {
  const { format, audio } = media;
  if (audio === null || format === 'amr' || !packedCodecs.has(audio.codec)) return null;
  return { offsetSeconds: startWithin(audio.startSeconds, media) };
}
