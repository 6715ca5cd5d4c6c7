import { type Ratio, timecodePattern } from '../../jobs/media.js';

/**
 * The timecode of the first frame of an output: that of the input, after `startSeconds`, counted at the frame rate of
 * the output. Null if it cannot be read. Pure.
 */
export function timecodeAt(text: string, startSeconds: number, from: Ratio, to: Ratio): string | null {
  const [, hours, minutes, seconds, separator, frames] = timecodePattern.exec(text) ?? [];
  if (separator === undefined || from.numerator === 0 || to.numerator === 0) return null;
  const isDropped = separator !== ':';
  const totalMinutes = Number(hours) * 60 + Number(minutes);
  const dropped = isDropped ? droppedPerMinute(from) : 0;
  const number =
    (totalMinutes * 60 + Number(seconds)) * countedPerSecond(from) +
    Number(frames) -
    dropped * (totalMinutes - Math.floor(totalMinutes / 10));
  const isSame = from.numerator * to.denominator === to.numerator * from.denominator;
  const skipped = Math.round((startSeconds * to.numerator) / to.denominator);
  const first = isSame
    ? number
    : Math.round((number * from.denominator * to.numerator) / (from.numerator * to.denominator));
  return timecodeOf(first + skipped, to, isDropped);
}

/** The timecode of a frame by its number since midnight. */
function timecodeOf(number: number, rate: Ratio, isDropped: boolean): string {
  const perSecond = countedPerSecond(rate);
  const dropped = isDropped ? droppedPerMinute(rate) : 0;
  const perTenMinutes = 600 * perSecond - 9 * dropped;
  const inDay = number % (144 * perTenMinutes);
  const inTen = inDay % perTenMinutes;
  // The first of ten minutes drops nothing.
  const later = inTen - 60 * perSecond;
  const minutesWithDrop = later < 0 ? 0 : 1 + Math.floor(later / (60 * perSecond - dropped));
  const counted = Math.floor(inDay / perTenMinutes) * 600 * perSecond + inTen + minutesWithDrop * dropped;
  const seconds = Math.floor(counted / perSecond);
  const two = (value: number) => String(value).padStart(2, '0');
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two);
  return `${parts.join(':')}${dropped > 0 ? ';' : ':'}${two(counted % perSecond)}`;
}

/** The whole number of frames that a timecode counts in a second: 30 for 29.97. */
function countedPerSecond({ numerator, denominator }: Ratio): number {
  return Math.max(1, Math.round(numerator / denominator));
}

/** The frame numbers that are left out in nine of ten minutes: 2 at 29.97 frames per second, 4 at 59.94. */
function droppedPerMinute(rate: Ratio): number {
  const counted = countedPerSecond(rate);
  const isSlower = rate.numerator / rate.denominator < counted;
  return isSlower && counted % 30 === 0 ? counted / 15 : 0;
}
