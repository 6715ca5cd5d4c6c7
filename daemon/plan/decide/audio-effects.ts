import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import { decideNormalization, type MeasuredAudio, type Normalization } from './normalization.js';

/** A compressor or an expander: the level in dB where it begins, and its ratio. */
export interface Dynamics {
  readonly thresholdDb: number;
  readonly ratio: number;
}

/** The effects on the audio of an output; null for none. Times are in seconds. */
export interface AudioEffects {
  readonly hasKaraoke: boolean;
  readonly highpassHertz: number | null;
  readonly lowpassHertz: number | null;
  readonly bassDb: number | null;
  readonly trebleDb: number | null;
  readonly expansion: Dynamics | null;
  readonly compression: Dynamics | null;
  readonly normalization: Normalization;
  readonly gainDb: number | null;
  readonly fadeInSeconds: number | null;
  readonly fadeOut: { readonly startSeconds: number; readonly lengthSeconds: number } | null;
}

/** What the effects depend on. */
interface Source {
  /** The lower sample rate of input and output, in Hz. */
  readonly sampleRate: number;
  /** The lower number of channels of input and output. */
  readonly channels: number;
  /** The duration of the output in seconds; null if unknown. */
  readonly lengthSeconds: number | null;
  readonly measured: MeasuredAudio;
}

/** The decided effects, with the sentences to show if one has no effect. */
interface DecidedEffects {
  readonly effects: AudioEffects;
  readonly warnings: readonly string[];
}

/** Decides the effects on the audio, or returns why the settings cannot be met with this input. */
export function decideAudioEffects(
  settings: OutputSettings,
  { sampleRate, channels, lengthSeconds, measured }: Source,
): DecidedEffects | { readonly failure: JobFailure } {
  const { audio_highpass, audio_lowpass, audio_fade } = settings;
  const half = sampleRate / 2;
  if (audio_highpass !== undefined && audio_highpass >= half) {
    const message = `audio_highpass would leave nothing: the audio has no frequency above ${half} Hz.`;
    return { failure: { errorClass: 'InvalidAudioSettingsError', message } };
  }
  const hasLowpass = audio_lowpass !== undefined && audio_lowpass < half;
  const hasKaraoke = settings.audio_karaoke_mode === true && channels === 2;
  const fadeIn = settings.audio_fade_in ?? audio_fade ?? null;
  const fadeOut = settings.audio_fade_out ?? audio_fade ?? null;
  const longest = lengthSeconds === null ? Number.POSITIVE_INFINITY : lengthSeconds / 2;
  const outSeconds = fadeOut === null ? null : Math.min(fadeOut, longest);
  const warnings = [
    ...(audio_lowpass !== undefined && !hasLowpass
      ? [`audio_lowpass has no effect: the audio has no frequency above ${half} Hz.`]
      : []),
    ...(settings.audio_karaoke_mode === true && !hasKaraoke
      ? ['audio_karaoke_mode has no effect: it needs two channels.']
      : []),
    ...(outSeconds !== null && lengthSeconds === null
      ? ['The audio does not fade out: the duration of the input is unknown.']
      : []),
  ];
  const effects: AudioEffects = {
    hasKaraoke,
    highpassHertz: audio_highpass ?? null,
    lowpassHertz: hasLowpass ? audio_lowpass : null,
    bassDb: settings.audio_bass ?? null,
    trebleDb: settings.audio_treble ?? null,
    expansion: dynamics(settings.audio_expansion_ratio, settings.audio_expansion_threshold ?? -35),
    compression: dynamics(settings.audio_compression_ratio, settings.audio_compression_threshold ?? -20),
    normalization: decideNormalization(settings, measured),
    gainDb: settings.audio_gain ?? null,
    fadeInSeconds: fadeIn === null ? null : Math.min(fadeIn, longest),
    fadeOut:
      outSeconds === null || lengthSeconds === null
        ? null
        : { startSeconds: lengthSeconds - outSeconds, lengthSeconds: outSeconds },
  };
  return { effects, warnings };
}

/** The ends of the scale are moved by 1 dB: a curve needs a part on both sides of the threshold. */
function dynamics(ratio: number | undefined, thresholdDb: number): Dynamics | null {
  return ratio === undefined ? null : { ratio, thresholdDb: Math.min(-1, Math.max(-119, thresholdDb)) };
}
