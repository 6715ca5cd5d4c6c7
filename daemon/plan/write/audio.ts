import { allowedKbps } from '../decide/audio-limits.js';
import type { AudioDecision } from '../decide/decisions.js';
import { atLevel } from '../decide/level.js';
import { type AudioEncoder, audioEncoders } from '../encoders.js';
import type { Capabilities } from '../plan-types.js';
import { mixingFilters } from './mixing.js';

/**
 * Begins the sound where the picture begins, and fills gaps with silence, so that both stay together in players and containers
 * that go by the number of samples alone. Nobody notices 40 ms: by itself ffmpeg lets a gap of up to 100 ms pass, and all that
 * comes after is heard that much too early. Tried and rejected: spreading small differences (`async` above 1) loses
 * sync altogether with 4.1 and 5.1, by seconds within a film whose clock goes 4 in 1000 too slow.
 */
const resampleFilter = 'aresample=async=1:min_hard_comp=0.03:first_pts=0';

/** The sound: its filter and its encoder with everything it is told. */
export function audioArgs(audio: AudioDecision, capabilities: Capabilities): readonly string[] {
  const encoder: AudioEncoder = audioEncoders[audio.encoder];
  return [
    '-af',
    mixingFilters(audio, resampleFilter, capabilities).join(','),
    '-c:a',
    audio.encoder,
    ...rateArgs(audio, encoder),
    '-ar',
    String(audio.sampleRate),
    '-ac',
    String(audio.channels),
    ...(encoder.always ?? []),
  ];
}

function rateArgs({ rate, channels, sampleRate }: AudioDecision, encoder: AudioEncoder): readonly string[] {
  if (rate.by === 'bitrate') {
    const isConstant = encoder.constantKbps?.includes(rate.kbps) ?? true;
    const kbps = `${rate.kbps}k`;
    const bounds = encoder.isManaged === true ? ['-minrate', kbps, '-maxrate', kbps] : [];
    return ['-b:a', kbps, ...bounds, ...(isConstant ? [] : ['-abr', '1'])];
  }
  const level = atLevel(encoder.quality.levels, rate.level);
  if (encoder.quality.by === 'scale') return ['-q:a', String(level)];
  const max = allowedKbps(encoder.codec, sampleRate, channels);
  return ['-b:a', `${Math.min(level * channels, max)}k`];
}
