import { normalizeTypedTime, parseByteSize } from '../../flag-parsers.js';
import { sidePixels } from '../limits.js';
import type {
  BytesSetting,
  Distance,
  DistanceSetting,
  Proportion,
  RatioSetting,
  Size,
  SizeSetting,
  TimeSetting,
} from '../setting.js';
import { code, type SettingKind, toParseResult, validResult } from './kind.js';
import { toDecimal } from './numbers.js';

/** `WIDTHxHEIGHT` in pixels. */
export const size: SettingKind<SizeSetting, Size> = {
  parse({ min, max }, value, path) {
    const parts = typeof value === 'string' ? /^([1-9]\d*)x([1-9]\d*)$/i.exec(value) : null;
    const size = { width: Number(parts?.[1]), height: Number(parts?.[2]) };
    const isInRange = [size.width, size.height].every((side) => side >= min && side <= max);
    const rule = `must be WIDTHxHEIGHT, such as 640x480, with sides from ${min} to ${max}`;
    return toParseResult(path, isInRange ? { value: size } : { rule });
  },
  describe: ({ min, max }) => `${code('WIDTHxHEIGHT')}, sides of ${min} to ${max} pixels`,
  example: () => '1280x720',
  schema: () => ({ type: 'string', pattern: '^[1-9]\\d*[xX][1-9]\\d*$' }),
  placeholder: () => '<WIDTHxHEIGHT>',
  range: ({ min, max }) => `sides of ${min} to ${max} pixels`,
};

/** A number of bytes, or a number with a unit: kB, MB, GB and TB are powers of 1000. */
export const bytes: SettingKind<BytesSetting, number> = {
  parse({ min, max }, value, path) {
    const given = typeof value === 'string' ? parseByteSize(value) : value;
    const isInRange = typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max;
    const rule = `must be a size such as 10MB, from ${min} to ${max} bytes`;
    return toParseResult(path, isInRange ? { value: given } : { rule });
  },
  describe: ({ min }) => `bytes, or with a unit, as ${code('10MB')}; at least ${min}`,
  example: () => '10MB',
  schema: ({ min, max }) => ({
    type: ['integer', 'string'],
    minimum: min,
    maximum: max,
    pattern: '^\\d+(?:\\.\\d+)?\\s*[kKmMgGtT]?[bB]?$',
  }),
  placeholder: () => '<10MB>',
};

/** `A:B`. */
export const ratio: SettingKind<RatioSetting, Proportion> = {
  parse({ max }, value, path) {
    const parts = typeof value === 'string' ? /^([1-9]\d*):([1-9]\d*)$/.exec(value) : null;
    const ratio = { numerator: Number(parts?.[1]), denominator: Number(parts?.[2]) };
    const isInRange = ratio.numerator <= max && ratio.denominator <= max;
    return toParseResult(path, isInRange ? { value: ratio } : { rule: 'must be A:B, such as 8:9' });
  },
  describe: ({ max }) => `${code('A:B')}, whole numbers from 1 to ${max}`,
  example: () => '8:9',
  schema: () => ({ type: 'string', pattern: '^[1-9]\\d*:[1-9]\\d*$' }),
  placeholder: () => '<A:B>',
};

const timecodeForm = /^(\d{1,2}):([0-5]\d):([0-5]\d(?:\.\d+)?)$/;
const timePattern = '^(?:\\d{1,2}:[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|(?:0|[1-9]\\d*)(?:\\.\\d+)?)$';
const secondsPerHour = 3600;

/**
 * A time, either `HH:MM:SS.S` or a number of seconds. The value is in seconds, rounded to microseconds: ffmpeg counts
 * in microseconds, and rounding keeps numbers such as 1e-7 out of command lines.
 */
export const time: SettingKind<TimeSetting, number> = {
  parse({ isAboveZero = false, maxSeconds }, value, path) {
    const min = isAboveZero ? 'above 0' : 'at least 0';
    const rule = `must be a time as HH:MM:SS.S or in seconds, ${min} and below ${maxSeconds / secondsPerHour} hours`;
    const given = secondsOf(value);
    if (given === undefined || given < 0) return toParseResult(path, { rule });
    // Adding 0 turns -0 into 0.
    const seconds = Math.round(given * 1e6) / 1e6 + 0;
    const isInRange = (seconds > 0 || !isAboveZero) && seconds < maxSeconds;
    return toParseResult(path, isInRange ? { value: seconds } : { rule });
  },
  describe: ({ isAboveZero, maxSeconds }) =>
    `${code('HH:MM:SS.S')} or seconds, ${isAboveZero ? 'above 0, ' : ''}below ${maxSeconds / secondsPerHour} hours`,
  example: () => 10,
  schema: ({ isAboveZero, maxSeconds }) => ({
    type: ['number', 'string'],
    ...(isAboveZero ? { exclusiveMinimum: 0 } : { minimum: 0 }),
    exclusiveMaximum: maxSeconds,
    pattern: timePattern,
  }),
  placeholder: () => '<time>',
  range: ({ maxSeconds }) => `below ${maxSeconds / secondsPerHour} hours`,
  fromFlag: (_, word) => (typeof word === 'string' ? normalizeTypedTime(word) : word),
};

function secondsOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? timecodeForm.exec(value) : null;
  if (parts === null) return toDecimal(value);
  return Number(parts[1]) * secondsPerHour + Number(parts[2]) * 60 + Number(parts[3]);
}

const centeredForm = /^center(?:ed)?$/i;
const distanceForm = /^(-)?((?:0|[1-9]\d*)(?:\.\d+)?)(%)?$/;

/**
 * Pixels (a whole number up to 8192) or percent (up to 100), given as a number or as text. If the setting is signed, a
 * minus sign counts from the far edge, `-0` is the far edge itself, and `centered` the middle. Widths and heights are
 * above 0.
 */
export const distance: SettingKind<DistanceSetting, Distance> = {
  parse({ isSigned }, value, path) {
    const rule = isSigned
      ? `must be pixels from -${sidePixels.max} to ${sidePixels.max}, percent from -100% to 100%, or centered`
      : `must be pixels from 1 to ${sidePixels.max}, or percent above 0% and up to 100%`;
    if (isSigned && typeof value === 'string' && centeredForm.test(value)) {
      return validResult({ value: 0, unit: 'pixels', isFromFarEdge: false, isCentered: true });
    }
    const parts = distanceForm.exec(textOf(value));
    if (parts === null) return toParseResult(path, { rule });
    const amount = Number(parts[2]);
    const unit = parts[3] === undefined ? 'pixels' : 'percent';
    const isFromFarEdge = parts[1] !== undefined;
    const isInRange =
      unit === 'pixels' ? Number.isInteger(amount) && amount <= sidePixels.max : amount <= 100;
    const isSignValid = isSigned || (!isFromFarEdge && amount > 0);
    return toParseResult(
      path,
      isInRange && isSignValid ? { value: { value: amount, unit, isFromFarEdge } } : { rule },
    );
  },
  describe({ isSigned }) {
    const sign = isSigned ? `, either with a minus: ${code('-10')}, or ${code('centered')}` : ', above 0';
    return `pixels up to ${sidePixels.max} or percent up to 100, as ${code('10')} and ${code('25%')}${sign}`;
  },
  example: (setting) => setting.default ?? '25%',
  schema({ isSigned }) {
    const sign = isSigned ? '-?' : '';
    const word = isSigned ? '|[cC][eE][nN][tT][eE][rR](?:[eE][dD])?' : '';
    return {
      type: ['integer', 'string'],
      minimum: isSigned ? -sidePixels.max : 1,
      maximum: sidePixels.max,
      pattern: `^(?:${sign}(?:0|[1-9]\\d*)(?:\\.\\d+)?%?${word})$`,
    };
  },
};

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // String(-0) is "0", but -0 in JSON means the far edge.
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'number' ? String(value) : '';
}
