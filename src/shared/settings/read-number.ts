import type { ScalarResult } from './parse-result.js';
import type { BooleanSetting, IntegerSetting, NumberChoiceSetting, NumberSetting } from './setting.js';

// One spelling of each number: no blanks, no plus, no leading zeros, no exponents, no hexadecimal.
const integerPattern = /^-?(?:0|[1-9]\d*)$/;
const decimalPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The whole number that a value is, as such or as text; undefined where it is none. */
export function toInteger(value: unknown): number | undefined {
  if (typeof value === 'string') return integerPattern.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** The finite number that a value is, as such or as text; undefined where it is none. */
export function toDecimal(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimalPattern.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Reads a whole number. */
export function parseInteger(setting: IntegerSetting, value: unknown): ScalarResult<number> {
  const { min, max, multipleOf = 1 } = setting;
  const number = toInteger(value);
  if (number !== undefined && number >= min && number <= max && number % multipleOf === 0) {
    return { value: number };
  }
  const what = multipleOf === 1 ? 'a whole number' : `a multiple of ${multipleOf}`;
  return { rule: `must be ${what} from ${min} to ${max}` };
}

/** Reads a number that may have decimals. */
export function parseNumber(setting: NumberSetting, value: unknown): ScalarResult<number> {
  const number = toDecimal(value);
  return number !== undefined && number >= setting.min && number <= setting.max
    ? { value: number }
    : { rule: `must be a number from ${setting.min} to ${setting.max}` };
}

/** Reads one of a few whole numbers. */
export function parseNumberChoice(setting: NumberChoiceSetting, value: unknown): ScalarResult<number> {
  const number = toInteger(value);
  const found = setting.choices.find((choice) => choice === number);
  return found === undefined ? { rule: `must be one of ${setting.choices.join(', ')}` } : { value: found };
}

/** Reads true or false: 1, 0 and the texts of these will do. */
export function parseBoolean(_setting: BooleanSetting, value: unknown): ScalarResult<boolean> {
  if (value === true || value === 1 || value === 'true' || value === '1') return { value: true };
  if (value === false || value === 0 || value === 'false' || value === '0') return { value: false };
  return { rule: 'must be true or false' };
}
