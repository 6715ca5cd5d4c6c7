import type { ScalarResult } from './parse-result.js';
import { toDecimal } from './read-number.js';
import type { TimeSetting } from './setting.js';

const timecodePattern = /^(\d{1,2}):([0-5]\d):([0-5]\d(?:\.\d+)?)$/;
const secondsAnHour = 3600;

/**
 * Reads a time as `HH:MM:SS.S` or in seconds. The value is in seconds, rounded to microseconds: that is
 * what ffmpeg counts in, and it keeps numbers such as 1e-7 out of command lines.
 */
export function parseTime(setting: TimeSetting, value: unknown): ScalarResult<number> {
  const min = setting.isAboveZero ? 'above 0' : 'from 0 on';
  const rule = `must be a time as HH:MM:SS.S or in seconds, ${min} and below ${setting.maxSeconds / secondsAnHour} hours`;
  const given = secondsOf(value);
  if (given === undefined || given < 0) return { rule };
  // Adding 0 makes a plain 0 of -0.
  const seconds = Math.round(given * 1e6) / 1e6 + 0;
  const isTooSmall = setting.isAboveZero === true && seconds === 0;
  return isTooSmall || seconds >= setting.maxSeconds ? { rule } : { value: seconds };
}

function secondsOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? timecodePattern.exec(value) : null;
  if (parts === null) return toDecimal(value);
  return Number(parts[1]) * secondsAnHour + Number(parts[2]) * 60 + Number(parts[3]);
}
