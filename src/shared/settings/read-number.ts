import { sidePixels } from './limits.js';
import type { ScalarResult } from './parse-result.js';
import type {
  Distance,
  DistanceSetting,
  IntegerSetting,
  NumberChoiceSetting,
  NumberSetting,
  Proportion,
  RatioSetting,
  Size,
  SizeSetting,
  TimeSetting,
} from './setting.js';

// Plain decimal notation only: no spaces, no plus sign, no leading zeros, no exponents, no hexadecimal.
const integerPattern = /^-?(?:0|[1-9]\d*)$/;
const decimalPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Converts a value to a whole number; undefined if it is neither a whole number nor the text of one. */
function toInteger(value: unknown): number | undefined {
  if (typeof value === 'string') return integerPattern.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** Converts a value to a finite number; undefined if it is neither a finite number nor the text of one. */
export function toDecimal(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimalPattern.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Validates a whole number. */
export function parseInteger(setting: IntegerSetting, value: unknown): ScalarResult<number> {
  const { min, max } = setting;
  const number = toInteger(value);
  return number !== undefined && number >= min && number <= max
    ? { value: number }
    : { rule: `must be a whole number from ${min} to ${max}` };
}

/** Validates a number that may have decimals. */
export function parseNumber(setting: NumberSetting, value: unknown): ScalarResult<number> {
  const number = toDecimal(value);
  return number !== undefined && number >= setting.min && number <= setting.max
    ? { value: number }
    : { rule: `must be a number from ${setting.min} to ${setting.max}` };
}

/** Validates one of the whole numbers in `choices`. */
export function parseNumberChoice(setting: NumberChoiceSetting, value: unknown): ScalarResult<number> {
  const number = toInteger(value);
  const found = setting.choices.find((choice) => choice === number);
  return found === undefined ? { rule: `must be one of ${setting.choices.join(', ')}` } : { value: found };
}

/** Validates a boolean. Also accepts 1 and 0, and each of the four as text in any letter case. */
export function parseBoolean(value: unknown): ScalarResult<boolean> {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 1 || word === 'true' || word === '1') return { value: true };
  if (word === false || word === 0 || word === 'false' || word === '0') return { value: false };
  return { rule: 'must be true or false' };
}

/** Validates a boolean, or the word `auto` in any letter case. */
export function parseBooleanOrAuto(value: unknown): ScalarResult<boolean | 'auto'> {
  if (typeof value === 'string' && value.toLowerCase() === 'auto') return { value: 'auto' };
  const result = parseBoolean(value);
  return 'value' in result ? result : { rule: `${result.rule}, or auto` };
}

/** Parses `WIDTHxHEIGHT` in pixels. */
export function parseSize(setting: SizeSetting, value: unknown): ScalarResult<Size> {
  const { min, max } = setting;
  const parts = typeof value === 'string' ? /^([1-9]\d*)x([1-9]\d*)$/i.exec(value) : null;
  const size = { width: Number(parts?.[1]), height: Number(parts?.[2]) };
  const isInRange = [size.width, size.height].every((side) => side >= min && side <= max);
  return isInRange
    ? { value: size }
    : { rule: `must be WIDTHxHEIGHT, such as 640x480, with sides from ${min} to ${max}` };
}

/** Parses `A:B`. */
export function parseRatio({ max }: RatioSetting, value: unknown): ScalarResult<Proportion> {
  const parts = typeof value === 'string' ? /^([1-9]\d*):([1-9]\d*)$/.exec(value) : null;
  const ratio = { numerator: Number(parts?.[1]), denominator: Number(parts?.[2]) };
  return ratio.numerator <= max && ratio.denominator <= max
    ? { value: ratio }
    : { rule: 'must be A:B, such as 8:9' };
}

const timecodePattern = /^(\d{1,2}):([0-5]\d):([0-5]\d(?:\.\d+)?)$/;
const secondsPerHour = 3600;

/**
 * Parses a time, either `HH:MM:SS.S` or a number of seconds. The value is in seconds, rounded to microseconds: ffmpeg
 * counts in microseconds, and rounding keeps numbers such as 1e-7 out of command lines.
 */
export function parseTime(setting: TimeSetting, value: unknown): ScalarResult<number> {
  const min = setting.isAboveZero ? 'above 0' : 'at least 0';
  const rule = `must be a time as HH:MM:SS.S or in seconds, ${min} and below ${setting.maxSeconds / secondsPerHour} hours`;
  const given = secondsOf(value);
  if (given === undefined || given < 0) return { rule };
  // Adding 0 turns -0 into 0.
  const seconds = Math.round(given * 1e6) / 1e6 + 0;
  const isTooSmall = setting.isAboveZero === true && seconds === 0;
  return isTooSmall || seconds >= setting.maxSeconds ? { rule } : { value: seconds };
}

function secondsOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? timecodePattern.exec(value) : null;
  if (parts === null) return toDecimal(value);
  return Number(parts[1]) * secondsPerHour + Number(parts[2]) * 60 + Number(parts[3]);
}

const centeredPattern = /^center(?:ed)?$/i;
const distancePattern = /^(-)?((?:0|[1-9]\d*)(?:\.\d+)?)(%)?$/;

/**
 * Parses pixels (a whole number up to 8192) or percent (up to 100), given as a number or as text. If the setting is
 * signed, a minus sign counts from the far edge, `-0` is the far edge itself, and `centered` the middle. Widths and
 * heights are above 0.
 */
export function parseDistance(setting: DistanceSetting, value: unknown): ScalarResult<Distance> {
  const rule = setting.isSigned
    ? `must be pixels from -${sidePixels.max} to ${sidePixels.max}, percent from -100% to 100%, or centered`
    : `must be pixels from 1 to ${sidePixels.max}, or percent above 0% and up to 100%`;
  if (setting.isSigned && typeof value === 'string' && centeredPattern.test(value)) {
    return { value: { value: 0, unit: 'pixels', isFromFarEdge: false, isCentered: true } };
  }
  const parts = distancePattern.exec(textOf(value));
  if (parts === null) return { rule };
  const amount = Number(parts[2]);
  const unit = parts[3] === undefined ? 'pixels' : 'percent';
  const isFromFarEdge = parts[1] !== undefined;
  const isInRange = unit === 'pixels' ? Number.isInteger(amount) && amount <= sidePixels.max : amount <= 100;
  const isSignValid = setting.isSigned || (!isFromFarEdge && amount > 0);
  return isInRange && isSignValid ? { value: { value: amount, unit, isFromFarEdge } } : { rule };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // String(-0) is "0", but -0 in JSON means the far edge.
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'number' ? String(value) : '';
}
