import type { Setting } from './setting.js';

/**
 * The line of help for a setting's flag, with range and default, made of its row: `number of channels (1 to 2;
 * default: as many as the input has, at most 2)`.
 */
export function helpOf(setting: Setting): string {
  const notes = [rangeOf(setting), defaultOf(setting), setting.kind === 'list' ? 'repeatable' : ''].filter(
    (note) => note !== '',
  );
  return notes.length === 0 ? setting.help : `${setting.help} (${notes.join('; ')})`;
}

function rangeOf(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
    case 'number': {
      const unit = setting.unit === undefined ? '' : ` ${setting.unit}`;
      const step =
        setting.kind === 'integer' && setting.multipleOf ? `, multiples of ${setting.multipleOf}` : '';
      return `${setting.min} to ${setting.max}${unit}${step}`;
    }
    case 'choice':
    case 'number-choice':
      return setting.choices.join(', ');
    case 'text':
      return `at most ${setting.maxLength} characters`;
    case 'size':
      return `sides of ${setting.min} to ${setting.max} pixels`;
    case 'time':
      return `below ${setting.maxSeconds / 3600} hours`;
    case 'object':
      // Such an object is typed as a text: its other fields are for requests.
      if (setting.textField !== undefined) return '';
      return Object.entries(setting.fields).map(fieldNote).join(', ');
    case 'list':
      return rangeOf(setting.of);
    default:
      return '';
  }
}

/** A field of an object in one line: `number=1 to 500 (1)` has its range and, in brackets, its default. */
function fieldNote([name, setting]: readonly [string, Setting]): string {
  const range = setting.kind === 'integer' ? `=${rangeOf(setting)}` : '';
  const value = 'default' in setting && setting.default !== undefined ? ` (${setting.default})` : '';
  return `${name}${range}${value}`;
}

function defaultOf(setting: Setting): string {
  const value = setting.defaultText ?? ('default' in setting ? setting.default : undefined);
  return value === undefined ? '' : `default: ${value}`;
}
