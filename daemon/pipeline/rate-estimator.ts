/** How fast a run of ffmpeg gets on. */
export interface RateEstimate {
  /** When it was last heard of, in milliseconds of some clock, and where it was by then; null before its first word. */
  readonly last: { readonly atMs: number; readonly seconds: number } | null;
  /** When it was first heard of. */
  readonly sinceMs: number;
  /** Seconds of media in a second, smoothed; null while that is not known. */
  readonly rate: number | null;
}

/** The pace at the beginning of a run; `rate` is what may be expected of it. */
export function startRateEstimate(rate: number | null = null): RateEstimate {
  return { last: null, sinceMs: 0, rate };
}

/** Seconds that a change of pace takes at least to be believed. */
const minSmoothingSeconds = 2;
/** The same as a share of the run so far: the longer it lasts, the less a moment counts. */
const smoothingShare = 1 / 2;

/**
 * The pace after a report. Told by what was done between two reports and not since the start: an encoder looks seconds ahead before its
 * first frame comes out, and what is slow early need not be slow later. What lies further back weighs less. Pure.
 */
export function updateRateEstimate(estimate: RateEstimate, atMs: number, seconds: number): RateEstimate {
  if (seconds <= 0) return estimate;
  const { last, rate } = estimate;
  if (last === null) return { ...estimate, last: { atMs, seconds }, sinceMs: atMs };
  const elapsedSeconds = (atMs - last.atMs) / 1000;
  if (elapsedSeconds <= 0) return estimate;
  const currentRate = Math.max(0, seconds - last.seconds) / elapsedSeconds;
  const smoothingSeconds = Math.max(minSmoothingSeconds, ((atMs - estimate.sinceMs) / 1000) * smoothingShare);
  const weight = rate === null ? 1 : 1 - Math.exp(-elapsedSeconds / smoothingSeconds);
  return { ...estimate, last: { atMs, seconds }, rate: (rate ?? 0) + weight * (currentRate - (rate ?? 0)) };
}
