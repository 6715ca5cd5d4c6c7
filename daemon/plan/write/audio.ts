import { allowedKbps } from '../decide/audio-limits.js';
import type { Sound } from '../decide/decisions.js';
import { atLevel } from '../decide/level.js';
import { type AudioEncoder, audioEncoders } from '../encoders.js';

/**
 * Begins the sound where the picture begins, and fills gaps with silence, so that both stay together in players and containers
 * that go by the number of samples alone. Nobody notices 40 ms: by itself ffmpeg lets a gap of up to 100 ms pass, and all that
 * comes after is heard that much too early. Tried and rejected: stretching small differences away (`async` above 1) loses
 * sync altogether with 4.1 and 5.1, by seconds within a film whose clock goes 4 in 1000 too slow.
 */
const keepingTime = 'aresample=async=1:min_hard_comp=0.03:first_pts=0';

/**
 * How ffmpeg mixes channels down, which keeps the centre and the rear audible: never louder than can be, where it would by itself
 * add them up to 2.4 times of that and clip; and with the low effects, which it would leave out.
 */
const mixingDown = ':rematrix_maxval=1:lfe_mix_level=0.5';

/** The sound: its filter and its encoder with everything it is told. */
export function audioArgs(sound: Sound): readonly string[] {
  const encoder: AudioEncoder = audioEncoders[sound.encoder];
  return [
    '-af',
    [...dealing(sound), `${keepingTime}${sound.isMixedDown ? mixingDown : ''}`].join(','),
    '-c:a',
    sound.encoder,
    ...rateArgs(sound, encoder),
    '-ar',
    String(sound.sampleRate),
    '-ac',
    String(sound.channels),
    ...(encoder.always ?? []),
  ];
}

function rateArgs({ rate, channels, sampleRate }: Sound, encoder: AudioEncoder): readonly string[] {
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

/** Channels without places are dealt out to the left and the right in turn; "<" keeps the sum from clipping. */
function dealing({ unplacedChannels, channels }: Sound): readonly string[] {
  if (unplacedChannels === null) return [];
  const all = Array.from({ length: unplacedChannels }, (_, index) => index);
  const sum = (some: readonly number[]) => some.map((index) => `c${index}`).join('+');
  if (channels === 1) return [`pan=mono|c0<${sum(all)}`];
  const every = (rest: number) => sum(all.filter((index) => index % 2 === rest));
  return [`pan=stereo|c0<${every(0)}|c1<${every(1)}`];
}
