import type { BooleanSetting, IntegerSetting, NumberChoiceSetting, NumberSetting } from '../setting.js';
import { code, omitted, type ScalarResult, type SettingKind, toParseResult, validResult } from './kind.js';

// Plain decimal notation only: no spaces, no plus sign, no leading zeros, no exponents, no hexadecimal.
const integerPattern = '^-?(?:0|[1-9]\\d*)$';
const decimalPattern = '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$';
const integerForm = new RegExp(integerPattern);
const decimalForm = new RegExp(decimalPattern);

/** Converts a value to a whole number; undefined if it is neither a whole number nor the text of one. */
function toInteger(value: unknown): number | undefined {
  if (typeof value === 'string') return integerForm.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** Converts a value to a finite number; undefined if it is neither a finite number nor the text of one. */
export function toDecimal(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimalForm.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Some serializers of XML write every number as a decimal: 64.0 is a whole number in JSON. */
function withoutZeroDecimals(text: string): string {
  return text.trim().replace(/^(-?\d+)\.0+$/, '$1');
}

function rangeOf({ min, max, unit }: IntegerSetting | NumberSetting): string {
  return `${min} to ${max}${unit === undefined ? '' : ` ${unit}`}`;
}

function exampleOf({ min, max, ...setting }: IntegerSetting | NumberSetting): number {
  // Levels of audio are negative. 128 is a multiple of 16, as bitrates of audio are.
  const example = min < 0 ? Math.round(min * 0.4) : Math.max(min, Math.min(max, 128));
  return setting.default ?? example;
}

/** A whole number. */
export const integer: SettingKind<IntegerSetting> = {
  parse(setting, value, path) {
    if (setting.acceptsAuto && typeof value === 'string' && value.toLowerCase() === 'auto') return omitted;
    const { min, max } = setting;
    const number = toInteger(value);
    return toParseResult(
      path,
      number !== undefined && number >= min && number <= max
        ? { value: number }
        : { rule: `must be a whole number from ${min} to ${max}` },
    );
  },
  describe: (setting) => `whole number, ${rangeOf(setting)}`,
  example: exampleOf,
  schema({ min, max, acceptsAuto }) {
    const pattern = acceptsAuto ? `^auto$|${integerPattern}` : integerPattern;
    return { type: ['integer', 'string'], minimum: min, maximum: max, pattern };
  },
  range: rangeOf,
  fromFlag: (_, word) => toDecimal(word) ?? word,
  fromXml: withoutZeroDecimals,
};

/** A number that may have decimals. */
export const number: SettingKind<NumberSetting> = {
  parse({ min, max }, value, path) {
    const number = toDecimal(value);
    return toParseResult(
      path,
      number !== undefined && number >= min && number <= max
        ? { value: number }
        : { rule: `must be a number from ${min} to ${max}` },
    );
  },
  describe: (setting) => `number, ${rangeOf(setting)}`,
  example: exampleOf,
  schema: ({ min, max }) => ({
    type: ['number', 'string'],
    minimum: min,
    maximum: max,
    pattern: decimalPattern,
  }),
  range: rangeOf,
  fromFlag: (_, word) => toDecimal(word) ?? word,
};

/** One of several whole numbers, or `auto` if the setting allows it. */
export const numberChoice: SettingKind<NumberChoiceSetting> = {
  parse({ choices, mayBeAuto }, value, path) {
    if (mayBeAuto && typeof value === 'string' && value.toLowerCase() === 'auto') return validResult('auto');
    const number = toInteger(value);
    const found = choices.find((choice) => choice === number);
    const rule = `must be one of ${choices.join(', ')}${mayBeAuto ? ', or auto' : ''}`;
    return toParseResult(path, found === undefined ? { rule } : { value: found });
  },
  describe: (setting) => wordsOf(setting).map(code).join(', '),
  example: ({ choices }) => choices.at(-1),
  schema: (setting) => ({ type: ['integer', 'string'], enum: [...setting.choices, ...wordsOf(setting)] }),
  range: (setting) => wordsOf(setting).join(', '),
  words: wordsOf,
  fromFlag: (_, word) => toDecimal(word) ?? word,
  fromXml: withoutZeroDecimals,
};

function wordsOf({ choices, mayBeAuto }: NumberChoiceSetting): readonly string[] {
  return [...choices.map(String), ...(mayBeAuto ? ['auto'] : [])];
}

/** Validates a boolean. Also accepts 1 and 0, and each of the four as text in any letter case. */
export function parseBoolean(value: unknown): ScalarResult<boolean> {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 1 || word === 'true' || word === '1') return { value: true };
  if (word === false || word === 0 || word === 'false' || word === '0') return { value: false };
  return { rule: 'must be true or false' };
}

/** True or false, or `auto` if the setting allows it. */
export const boolean: SettingKind<BooleanSetting> = {
  parse({ mayBeAuto }, value, path) {
    const result = parseBoolean(value);
    if (!mayBeAuto || 'value' in result) return toParseResult(path, result);
    const isAuto = typeof value === 'string' && value.toLowerCase() === 'auto';
    return toParseResult(path, isAuto ? { value: 'auto' } : { rule: `${result.rule}, or auto` });
  },
  describe({ isSentAsInteger, mayBeAuto }) {
    if (isSentAsInteger) return `${code('1')} or ${code('0')}`;
    return `${code('true')} or ${code('false')}${mayBeAuto ? `, or ${code('auto')}` : ''}`;
  },
  example: ({ isSentAsInteger }) => (isSentAsInteger ? 1 : true),
  schema: ({ mayBeAuto }) => ({
    type: ['boolean', 'integer', 'string'],
    enum: [true, false, 1, 0, 'true', 'false', '1', '0', ...(mayBeAuto ? ['auto'] : [])],
  }),
  words({ isSentAsInteger, mayBeAuto }) {
    if (mayBeAuto) return ['true', 'false', 'auto'];
    return isSentAsInteger ? ['1', '0'] : ['true', 'false'];
  },
  fromFlag({ isSentAsInteger }, word) {
    const value = { true: true, false: false, '1': true, '0': false }[String(word)];
    if (value === undefined) return word;
    return isSentAsInteger ? Number(value) : value;
  },
};
