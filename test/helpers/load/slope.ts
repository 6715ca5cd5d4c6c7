/** A value at a time. */
export interface Sample {
  readonly seconds: number;
  readonly value: number;
}

/** At most this many samples are compared with each other; more are thinned out evenly. */
const maxSamples = 600;

/**
 * The slope of samples per second, as Theil and Sen estimate it: the median of the slopes of all pairs. Up to a quarter of the samples
 * may be outliers, such as the moments before a garbage collection. 0 for fewer than two samples.
 */
export function robustSlope(samples: readonly Sample[]): number {
  const stride = Math.max(1, Math.ceil(samples.length / maxSamples));
  const kept = samples.filter((_, index) => index % stride === 0);
  const slopes = kept
    .flatMap((later, index) =>
      kept
        .slice(0, index)
        .map((earlier) => (later.value - earlier.value) / (later.seconds - earlier.seconds)),
    )
    .sort((a, b) => a - b);
  const middle = slopes.length / 2;
  if (slopes.length === 0) return 0;
  return ((slopes[Math.floor(middle)] ?? 0) + (slopes[Math.ceil(middle) - 1] ?? 0)) / 2;
}
