import { layoutOf } from '../../../src/shared/settings/channels.js';
import type { AudioEffects, Dynamics } from '../decide/audio-effects.js';
import type { AudioDecision } from '../decide/decisions.js';
import type { AudioMeasurement, Loudness } from '../decide/normalization.js';
import type { Capabilities } from '../plan-types.js';
import { limiterFilters } from './limiter.js';

/** The ceiling of amplified audio, of full scale. */
const ceiling = 0.98;
/** How fast a compressor or an expander reacts. */
const envelope = 'attacks=0.02:decays=0.3:soft-knee=6';
/** The range in LU of audio whose loudness is adapted. */
const loudnessRange = 11;
/** The lowest level in dB that an expander produces. */
const floorDb = -900;

/**
 * The filters of the effects, in the order in which they apply. They follow the mixing of the channels. `skipSeconds`
 * is the duration that is read before the clip.
 */
export function effectFilters(
  audio: AudioDecision,
  capabilities: Capabilities,
  skipSeconds: number,
): readonly string[] {
  const filters = [
    ...filtersUntil('loudness', audio),
    ...normalizingFilters(audio),
    ...gainFilters(audio, capabilities),
    ...fadeFilters(audio.effects, skipSeconds),
  ];
  return filters.length === 0 ? [] : [layoutFilter(audio), ...filters];
}

/** The effects before the point where something is measured. */
export function filtersBefore(measurement: AudioMeasurement, audio: AudioDecision): readonly string[] {
  return [layoutFilter(audio), ...filtersUntil(measurement, audio)];
}

/** The channels of the output are named before the effects: without that ffmpeg may mix them only after these. */
function layoutFilter({ channels }: AudioDecision): string {
  return `aformat=sample_fmts=fltp:channel_layouts=${layoutOf(channels)}`;
}

function filtersUntil(measurement: AudioMeasurement, { effects }: AudioDecision): readonly string[] {
  const { highpassHertz, lowpassHertz, bassDb, trebleDb, expansion, compression, normalization } = effects;
  const { gainBeforeDb } = normalization;
  const first = [
    ...(effects.hasKaraoke ? ['pan=stereo|c0=0.5*c0-0.5*c1|c1=0.5*c0-0.5*c1'] : []),
    ...(highpassHertz === null ? [] : [`highpass=f=${highpassHertz}`]),
    ...(lowpassHertz === null ? [] : [`lowpass=f=${lowpassHertz}`]),
    ...(bassDb === null ? [] : [`bass=g=${bassDb}:f=100`]),
    ...(trebleDb === null ? [] : [`treble=g=${trebleDb}:f=3000`]),
  ];
  if (measurement === 'peakBeforeDynamics') return first;
  return [
    ...first,
    ...(gainBeforeDb === null ? [] : [`volume=${rounded(gainBeforeDb)}dB`]),
    ...(expansion === null ? [] : [expander(expansion)]),
    ...(compression === null ? [] : [compressor(compression)]),
  ];
}

function normalizingFilters({ effects: { normalization }, sampleRate }: AudioDecision): readonly string[] {
  const { gainAfterDb, loudness } = normalization;
  return [
    ...(gainAfterDb === null ? [] : [`volume=${rounded(gainAfterDb)}dB`]),
    ...(loudness === null
      ? []
      : [
          loudnessFilter(loudness.targetLufs, loudness.measured),
          // Where one gain for all of the audio is not enough, the filter outputs 192,000 Hz.
          `aresample=${sampleRate}`,
        ]),
  ];
}

/**
 * Reaches a loudness with at most -1 dB of peak, which the standard recommends. The filter uses one gain for all of the
 * audio if that keeps the peak, and the measured range is above 0 and at most the target. The range of short or steady
 * audio is 0, so a valid one is given instead. Otherwise the gain varies with the audio, and the result may be up to 1
 * LU lower.
 */
function loudnessFilter(targetLufs: number, { integratedLufs, truePeakDb, thresholdLufs }: Loudness): string {
  const measured = [
    `measured_I=${limited(integratedLufs, -99, 0)}`,
    `measured_TP=${limited(truePeakDb, -99, 99)}`,
    `measured_LRA=${loudnessRange}`,
    `measured_thresh=${limited(thresholdLufs, -99, 0)}`,
  ];
  return `loudnorm=I=${targetLufs}:TP=-1:LRA=${loudnessRange}:${measured.join(':')}:linear=true`;
}

function limited(value: number, min: number, max: number): number {
  return rounded(Math.min(max, Math.max(min, value)));
}

/** Without the initial volume, the first moments would pass unchanged. */
function expander({ thresholdDb: at, ratio }: Dynamics): string {
  const lowest = rounded(Math.max(floorDb, at - (120 + at) * ratio));
  return `compand=${envelope}:points=-120/${lowest}|${at}/${at}|0/0:volume=-90`;
}

function compressor({ thresholdDb: at, ratio }: Dynamics): string {
  return `compand=${envelope}:points=-120/-120|${at}/${at}|0/${rounded(at - at / ratio)}`;
}

function gainFilters(audio: AudioDecision, capabilities: Capabilities): readonly string[] {
  const { gainDb } = audio.effects;
  if (gainDb === null) return [];
  return [`volume=${gainDb}dB`, ...(gainDb > 0 ? limiterFilters(ceiling, audio, capabilities) : [])];
}

function fadeFilters({ fadeInSeconds, fadeOut }: AudioEffects, skipSeconds: number): readonly string[] {
  const start = (seconds: number) => `st=${rounded(skipSeconds + seconds)}`;
  return [
    ...(fadeInSeconds === null ? [] : [`afade=t=in:${start(0)}:d=${rounded(fadeInSeconds)}`]),
    ...(fadeOut === null
      ? []
      : [`afade=t=out:${start(fadeOut.startSeconds)}:d=${rounded(fadeOut.lengthSeconds)}`]),
  ];
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
