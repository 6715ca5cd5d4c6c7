import { sidePixels } from './limits.js';
import { offeredChoices } from './read-text.js';
import type { IntegerSetting, NumberSetting, ObjectSetting, Setting, SettingsTable } from './setting.js';

/*
 * The words that describe a setting in the reference, in `venc explain` and in the list of settings. Names and values
 * are enclosed in backquotes.
 */

/** Describes the kind, range and spelling of the value of a setting. */
export function valueText(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
    case 'number': {
      const kind = setting.kind === 'integer' ? 'whole number' : 'number';
      const unit = setting.unit === undefined ? '' : ` ${setting.unit}`;
      return `${kind}, ${setting.min} to ${setting.max}${unit}`;
    }
    case 'boolean':
      return setting.isSentAsInteger
        ? `${code('1')} or ${code('0')}`
        : `${code('true')} or ${code('false')}${setting.mayBeAuto === true ? `, or ${code('auto')}` : ''}`;
    case 'text': {
      const kind = setting.isPath ? 'relative path' : 'text';
      return `${kind} of ${setting.mayBeEmpty ? 'up' : '1'} to ${setting.maxLength} characters`;
    }
    case 'url':
      return setting.schemes === undefined ? 'URL' : `URL with ${setting.schemes.map(code).join(' or ')}`;
    case 'choice':
      return `${offeredChoices(setting).map(code).join(', ')}, in any letter case${setting.trueMeans === undefined ? '' : `; ${code('true')} is ${code(setting.trueMeans)}`}`;
    case 'number-choice':
      return setting.choices.map((choice) => code(String(choice))).join(', ');
    case 'ratio':
      return `${code('A:B')}, whole numbers from 1 to ${setting.max}`;
    case 'size':
      return `${code('WIDTHxHEIGHT')}, sides of ${setting.min} to ${setting.max} pixels`;
    case 'time': {
      const min = setting.isAboveZero ? 'above 0, ' : '';
      return `${code('HH:MM:SS.S')} or seconds, ${min}below ${setting.maxSeconds / 3600} hours`;
    }
    case 'distance': {
      const sign = setting.isSigned
        ? `, either with a minus: ${code('-10')}, or ${code('centered')}`
        : ', above 0';
      return `pixels up to ${sidePixels.max} or percent up to 100, as ${code('10')} and ${code('25%')}${sign}`;
    }
    case 'object': {
      const text = setting.textField === undefined ? '' : `, or the ${code(setting.textField)} as a string`;
      return `object${text}`;
    }
    case 'list':
      return `one, or an array of up to ${setting.max}: ${valueText(setting.of)}`;
    case 'unchecked':
      return setting.type ?? 'any';
    case 'map':
      return `${(setting.words ?? []).map((word) => `${code(word)}, or `).join('')}object of up to ${setting.max} strings of up to ${setting.maxLength} characters, by name`;
  }
}

/** Describes the default of a setting: `required` for a required one, `-` if there is none. */
export function defaultText(setting: Setting): string {
  if (setting.isRequired) return 'required';
  if (setting.defaultText !== undefined) return setting.defaultText;
  const value = 'default' in setting ? setting.default : undefined;
  if (value === undefined) return '-';
  if (setting.kind === 'boolean' && setting.isSentAsInteger) return code(value === true ? '1' : '0');
  return code(String(value));
}

/** Describes the meaning of a setting, including the rule about its own fields. */
export function meaningText(setting: Setting): string {
  const inner = setting.kind === 'list' ? setting.of : setting;
  const oneOf = inner.kind === 'object' ? (inner.oneOf ?? []) : [];
  return oneOf.length === 0 ? setting.help : `${setting.help}; with ${oneOf.map(code).join(' or ')} in each`;
}

/** A valid value of a setting, for examples; undefined for a setting that is not applied. */
export function exampleValue(setting: Setting): unknown {
  if (setting.example !== undefined) return setting.example;
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return setting.default ?? exampleNumber(setting);
    case 'number-choice':
      return setting.choices.at(-1);
    case 'boolean':
      return setting.isSentAsInteger ? 1 : true;
    case 'text':
      return setting.form?.example ?? (setting.isPath ? 'film.mp4' : 'example');
    case 'url':
      return 'https://example.com/file';
    case 'choice':
      return offeredChoices(setting).find((choice) => choice !== setting.default);
    case 'ratio':
      return '8:9';
    case 'size':
      return '1280x720';
    case 'time':
      return 10;
    case 'distance':
      return setting.default ?? '25%';
    case 'object':
      return exampleObject(setting);
    case 'list':
      return [exampleValue(setting.of)];
    case 'map':
      return { 'X-Example': 'value' };
    case 'unchecked':
      return undefined;
  }
}

function exampleNumber({ min, max }: IntegerSetting | NumberSetting): number {
  // Levels of audio are negative. 128 is a multiple of 16, as bitrates of audio are.
  return min < 0 ? Math.round(min * 0.4) : Math.max(min, Math.min(max, 128));
}

function exampleObject(setting: ObjectSetting): unknown {
  const required = requiredExamples(setting, true);
  if (Object.keys(required).length > 0) return required;
  const [first] = Object.entries(setting.fields);
  return first === undefined ? {} : { [first[0]]: exampleValue(first[1]) };
}

/** Examples of the required fields of an object, and on request of one of those of which one is required. */
export function requiredExamples(
  { fields, oneOf = [] }: ObjectSetting,
  withOneOf = false,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { isRequired }]) => isRequired || (withOneOf && name === oneOf[0]))
      .map(([name, setting]) => [name, exampleValue(setting)]),
  );
}

/** The nested settings of a setting; empty if it has none. */
export function nestedSettings(setting: Setting): SettingsTable {
  if (setting.kind === 'list') return nestedSettings(setting.of);
  return setting.kind === 'object' ? setting.fields : {};
}

/** Inline code. */
export function code(text: string): string {
  return `\`${text}\``;
}
