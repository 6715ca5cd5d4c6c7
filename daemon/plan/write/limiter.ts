import { layoutOf } from '../../../src/shared/settings/channels.js';
import type { AudioDecision } from '../decide/decisions.js';
import type { Capabilities } from '../plan-types.js';

/** The lookahead of the limiter. */
const lookaheadSeconds = 0.005;

/**
 * Keeps the samples below `ceiling` (1 is full scale). The limiter delays each sample by its lookahead minus one
 * sample. Builds before 5.0 cannot compensate that, so the timestamps are shifted here.
 */
export function limiterFilters(
  ceiling: number,
  { sampleRate, channels }: Pick<AudioDecision, 'sampleRate' | 'channels'>,
  { hasFpsMode: isNew }: Capabilities,
): readonly string[] {
  const format = `aformat=sample_fmts=dbl:sample_rates=${sampleRate}:channel_layouts=${layoutOf(channels)}`;
  const limiter = `alimiter=level=0:limit=${ceiling}:attack=${lookaheadSeconds * 1000}`;
  if (isNew) return [format, `${limiter}:latency=1`];
  const latencySamples = Math.floor(sampleRate * lookaheadSeconds) - 1;
  const realignFilters = [`atrim=start_sample=${latencySamples}`, `asetpts=PTS-${latencySamples}/SR/TB`];
  return [format, `apad=pad_len=${latencySamples}`, limiter, ...realignFilters];
}
