import type { Setting } from '../../src/shared/settings/index.js';
import { sidePixels } from '../../src/shared/settings/limits.js';
import { code } from './markdown.js';

/** What a setting may be, in words: kind, range and spelling of its value. */
export function valueText(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
    case 'number': {
      const kind = setting.kind === 'integer' ? 'whole number' : 'number';
      const unit = setting.unit === undefined ? '' : ` ${setting.unit}`;
      const step =
        setting.kind === 'integer' && setting.multipleOf ? `, a multiple of ${setting.multipleOf}` : '';
      return `${kind}, ${setting.min} to ${setting.max}${unit}${step}`;
    }
    case 'boolean':
      return setting.isSentAsInteger ? `${code('1')} or ${code('0')}` : `${code('true')} or ${code('false')}`;
    case 'text': {
      const kind = setting.isPath ? 'relative path' : 'text';
      return `${kind} of ${setting.mayBeEmpty ? 'up' : '1'} to ${setting.maxLength} characters`;
    }
    case 'url':
      return setting.schemes === undefined ? 'URL' : `URL with ${setting.schemes.map(code).join(' or ')}`;
    case 'choice':
      return `${setting.choices.map(code).join(', ')}${setting.isCaseInsensitive ? ', in any letter case' : ''}`;
    case 'number-choice':
      return setting.choices.map((choice) => code(String(choice))).join(', ');
    case 'size':
      return `${code('WIDTHxHEIGHT')}, sides of ${setting.min} to ${setting.max} pixels`;
    case 'time': {
      const min = setting.isAboveZero ? 'above 0, ' : '';
      return `${code('HH:MM:SS.S')} or seconds, ${min}below ${setting.maxSeconds / 3600} hours`;
    }
    case 'distance': {
      const sign = setting.isSigned ? `, either with a minus: ${code('-10')}` : ', above 0';
      return `pixels up to ${sidePixels.max} or percent up to 100, as ${code('10')} and ${code('25%')}${sign}`;
    }
    case 'object': {
      const text = setting.textField === undefined ? '' : `, or the text of its ${code(setting.textField)}`;
      return `object${text}${setting.acceptsArray ? ', or an array of one' : ''}`;
    }
    case 'list':
      return `one, or an array of up to ${setting.max}: ${valueText(setting.of)}`;
    case 'map':
      return `object of up to ${setting.max} texts of up to ${setting.maxLength} characters, by name`;
  }
}

/** What applies when a setting is left out; `required` where it must not be, `-` where nothing does. */
export function defaultText(setting: Setting): string {
  if (setting.isRequired) return 'required';
  if (setting.defaultText !== undefined) return setting.defaultText;
  const value = 'default' in setting ? setting.default : undefined;
  if (value === undefined) return '-';
  if (setting.kind === 'boolean' && setting.isSentAsInteger) return code(value === true ? '1' : '0');
  return code(String(value));
}

/** What a setting means, with the rule about its own fields. */
export function meaningText(setting: Setting): string {
  const inner = setting.kind === 'list' ? setting.of : setting;
  const oneOf = inner.kind === 'object' ? (inner.oneOf ?? []) : [];
  return oneOf.length === 0
    ? setting.help
    : `${setting.help}; exactly one of ${oneOf.map(code).join(', ')} in each`;
}
