import { humanDuration } from './units.js';

/** Tells how many seconds something will take yet that is so many percent done; null where nothing can be said. */
export type TimeLeft = (percent: number) => number | null;

/** Less says next to nothing: what is begun with is seldom what takes the time. */
const leastPercent = 1;

/** Goes by what was done since the first report: what was there before took no time. `clock` goes forward, in milliseconds. */
export function timeLeft(clock: () => number): TimeLeft {
  let first: { readonly atMs: number; readonly percent: number } | null = null;
  return (percent) => {
    const atMs = clock();
    first ??= { atMs, percent };
    const done = percent - first.percent;
    return done >= leastPercent ? ((atMs - first.atMs) * (100 - percent)) / done / 1000 : null;
  };
}

/** What is going on, and the time that is left where that does not tell it itself. */
export function withTimeLeft(activity: string, seconds: number | null): string {
  if (seconds === null || activity.includes(' left')) return activity;
  return [activity, `${humanDuration(seconds)} left`].filter((part) => part !== '').join(', ');
}
