import type { AudioEffects, Dynamics } from '../decide/audio-effects.js';
import type { AudioDecision } from '../decide/decisions.js';
import type { Capabilities } from '../plan-types.js';
import { limiterFilters } from './limiter.js';

/** The ceiling of amplified audio, of full scale. */
const ceiling = 0.98;
/** How fast a compressor or an expander reacts. */
const envelope = 'attacks=0.02:decays=0.3:soft-knee=6';
/** The lowest level in dB that an expander produces. */
const floorDb = -900;

/** The filters of the effects, in the order in which they apply. They follow the mixing of the channels. */
export function effectFilters(audio: AudioDecision, capabilities: Capabilities): readonly string[] {
  const filters = [...frequencyAndLevelFilters(audio.effects), ...gainFilters(audio, capabilities)];
  const all = [...filters, ...fadeFilters(audio.effects)];
  // The channels of the output are named first: without that ffmpeg may mix them only after the effects.
  const layout = audio.channels === 1 ? 'mono' : 'stereo';
  return all.length === 0 ? [] : [`aformat=sample_fmts=fltp:channel_layouts=${layout}`, ...all];
}

function frequencyAndLevelFilters(effects: AudioEffects): readonly string[] {
  const { highpassHertz, lowpassHertz, bassDb, trebleDb, expansion, compression } = effects;
  return [
    ...(effects.hasKaraoke ? ['pan=stereo|c0=0.5*c0-0.5*c1|c1=0.5*c0-0.5*c1'] : []),
    ...(highpassHertz === null ? [] : [`highpass=f=${highpassHertz}`]),
    ...(lowpassHertz === null ? [] : [`lowpass=f=${lowpassHertz}`]),
    ...(bassDb === null ? [] : [`bass=g=${bassDb}:f=100`]),
    ...(trebleDb === null ? [] : [`treble=g=${trebleDb}:f=3000`]),
    ...(expansion === null ? [] : [expander(expansion)]),
    ...(compression === null ? [] : [compressor(compression)]),
  ];
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

function fadeFilters({ fadeInSeconds, fadeOut }: AudioEffects): readonly string[] {
  return [
    ...(fadeInSeconds === null ? [] : [`afade=t=in:d=${rounded(fadeInSeconds)}`]),
    ...(fadeOut === null
      ? []
      : [`afade=t=out:st=${rounded(fadeOut.startSeconds)}:d=${rounded(fadeOut.lengthSeconds)}`]),
  ];
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
