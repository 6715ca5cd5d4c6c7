import { maxUrlLength, sidePixels } from '../../../src/shared/settings/limits.js';
import type {
  ListSetting,
  MapSetting,
  ObjectSetting,
  Setting,
} from '../../../src/shared/settings/setting.js';
import type { Schema } from './schema.js';

/** A setting that holds one value and no settings of its own. */
export type PlainSetting = Exclude<Setting, ObjectSetting | ListSetting>;

const integerPattern = '^-?(?:0|[1-9]\\d*)$';
const decimalPattern = '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$';
const timecode = '^(?:\\d{1,2}:[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|(?:0|[1-9]\\d*)(?:\\.\\d+)?)$';
const size = '^[1-9]\\d*[xX][1-9]\\d*$';
const headerName = "^[\\w!#$%&'*+.^`|~\\-]+$";

/**
 * The schema of a plain value as it may be sent: numbers and booleans also as text (contract, section 3). What it refuses is refused
 * by the daemon, which looks closer: at numbers in texts, control characters, and the parts of a path.
 */
export function plainSchema(setting: PlainSetting): Schema {
  switch (setting.kind) {
    case 'integer': {
      const steps = setting.multipleOf === undefined ? {} : { multipleOf: setting.multipleOf };
      return { type: ['integer', 'string'], ...rangeOf(setting), ...steps, pattern: integerPattern };
    }
    case 'number':
      return { type: ['number', 'string'], ...rangeOf(setting), pattern: decimalPattern };
    case 'number-choice': {
      const { choices } = setting;
      return { type: ['integer', 'string'], enum: [...choices, ...choices.map(String)] };
    }
    case 'boolean':
      return { type: ['boolean', 'integer', 'string'], enum: [true, false, 1, 0, 'true', 'false', '1', '0'] };
    case 'text':
      return {
        type: 'string',
        ...(setting.mayBeEmpty ? {} : { minLength: 1 }),
        maxLength: setting.maxLength,
      };
    case 'url':
      return { type: 'string', maxLength: maxUrlLength, pattern: schemePattern(setting.schemes) };
    case 'choice': {
      const { choices } = setting;
      if (!setting.isCaseInsensitive) return { type: 'string', enum: choices };
      return {
        anyOf: [
          { type: 'string', enum: choices },
          { type: 'string', pattern: `^(?:${choices.map(inAnyCase).join('|')})$` },
        ],
      };
    }
    case 'size':
      return { type: 'string', pattern: size };
    case 'time': {
      const lowerBound = setting.isAboveZero ? { exclusiveMinimum: 0 } : { minimum: 0 };
      return {
        type: ['number', 'string'],
        ...lowerBound,
        exclusiveMaximum: setting.maxSeconds,
        pattern: timecode,
      };
    }
    case 'distance': {
      const lowerBound = setting.isSigned ? -sidePixels.max : 1;
      const sign = setting.isSigned ? '-?' : '';
      const pattern = `^${sign}(?:0|[1-9]\\d*)(?:\\.\\d+)?%?$`;
      return { type: ['integer', 'string'], minimum: lowerBound, maximum: sidePixels.max, pattern };
    }
    case 'map':
      return mapSchema(setting);
  }
}

function rangeOf({ min, max }: { readonly min: number; readonly max: number }): Schema {
  return { minimum: min, maximum: max };
}

function schemePattern(schemes: readonly string[] | undefined): string {
  const known =
    schemes === undefined ? '[A-Za-z][A-Za-z\\d+.\\-]*' : `(?:${schemes.map(inAnyCase).join('|')})`;
  return `^${known}:/`;
}

function mapSchema({ max, maxNameLength, maxLength, reserved }: MapSetting): Schema {
  const reservedPattern = reserved.map((text) => inAnyCase(text).replace(/\*$/, '.*')).join('|');
  return {
    type: 'object',
    maxProperties: max,
    propertyNames: {
      maxLength: maxNameLength,
      pattern: headerName,
      not: { pattern: `^(?:${reservedPattern})$` },
    },
    additionalProperties: { type: 'string', maxLength, pattern: '^[\\x20-\\x7e]*$' },
  };
}

/** A word as a pattern that takes it in any letter case: JSON Schema has no flag for that. */
function inAnyCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}
