/** How fast a run of ffmpeg gets on. */
export interface Pace {
  /** When it was last heard of, in milliseconds of some clock, and where it was by then; null before its first word. */
  readonly last: { readonly atMs: number; readonly seconds: number } | null;
  /** When it was first heard of. */
  readonly sinceMs: number;
  /** Seconds of media in a second, smoothed; null while that is not known. */
  readonly rate: number | null;
}

/** The pace at the beginning of a run; `rate` is what may be expected of it. */
export function startPace(rate: number | null = null): Pace {
  return { last: null, sinceMs: 0, rate };
}

/** Seconds that a change of pace takes at least to be believed. */
const leastMemorySeconds = 2;
/** The same as a share of the run so far: the longer it lasts, the less a moment counts. */
const memoryShare = 1 / 2;

/**
 * The pace after a report. Told by what was done between two reports and not since the start: an encoder looks seconds ahead before its
 * first frame comes out, and what is slow early need not be slow later. What lies further back weighs less. Pure.
 */
export function nextPace(pace: Pace, atMs: number, seconds: number): Pace {
  if (seconds <= 0) return pace;
  const { last, rate } = pace;
  if (last === null) return { ...pace, last: { atMs, seconds }, sinceMs: atMs };
  const passed = (atMs - last.atMs) / 1000;
  if (passed <= 0) return pace;
  const now = Math.max(0, seconds - last.seconds) / passed;
  const memory = Math.max(leastMemorySeconds, ((atMs - pace.sinceMs) / 1000) * memoryShare);
  const weight = rate === null ? 1 : 1 - Math.exp(-passed / memory);
  return { ...pace, last: { atMs, seconds }, rate: (rate ?? 0) + weight * (now - (rate ?? 0)) };
}
