import { maxUrlLength, sidePixels } from '../../../src/shared/settings/limits.js';
import type {
  ListSetting,
  MapSetting,
  ObjectSetting,
  Setting,
  SettingsTable,
  UrlSetting,
} from '../../../src/shared/settings/setting.js';
import { refTo, type Schema, type Schemas } from './document-types.js';

/** Tables of settings with a named schema, by name; all others are inline. */
export type TableNames = ReadonlyMap<SettingsTable, string>;

/**
 * The schema of an object with these settings. Each spelling of a setting is a property; spellings other than the name
 * are marked as deprecated. null means not set, and unknown properties are ignored with a warning.
 */
export function settingsSchema(table: SettingsTable, names: TableNames): Schema {
  const entries = Object.entries(table);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    type: 'object',
    properties: propertiesOf(table, names),
    ...(required.length === 0 ? {} : { required }),
  };
}

function propertiesOf(table: SettingsTable, names: TableNames): Schemas {
  const properties = Object.entries(table).flatMap(([name, setting]) => {
    const others = (setting.spellings ?? []).map((spelling) => {
      // The default is omitted: a client that fills it in would contradict the value of the other spelling.
      const schema = orNull(valueSchema(spelling, setting, names));
      const alias: Schema = { ...schema, description: `Another spelling of ${name}.`, deprecated: true };
      return [spelling, alias] as const;
    });
    return [[name, propertySchema(name, setting, names)] as const, ...others];
  });
  return Object.fromEntries(properties);
}

function propertySchema(name: string, setting: Setting, names: TableNames): Schema {
  const schema = valueSchema(name, setting, names);
  const described = { ...(setting.isRequired ? schema : orNull(schema)), description: description(setting) };
  if (!('default' in setting) || setting.default === undefined) return described;
  const isNumber = setting.kind === 'boolean' && setting.isSentAsInteger;
  return { ...described, default: isNumber ? Number(setting.default) : setting.default };
}

function valueSchema(name: string, setting: Setting, names: TableNames): Schema {
  if (setting.kind === 'object') return objectSchema(setting, names);
  if (setting.kind === 'list') return listSchema(name, setting, names);
  return plainSchema(setting);
}

function objectSchema(setting: ObjectSetting, names: TableNames): Schema {
  const name = names.get(setting.fields);
  const settingSchema = name === undefined ? settingsSchema(setting.fields, names) : refTo(name);
  const { oneOf, textField } = setting;
  const chosen =
    oneOf === undefined ? settingSchema : { allOf: [settingSchema, { anyOf: oneOf.map(given) }] };
  const text = textField === undefined ? undefined : setting.fields[textField];
  const forms: readonly Schema[] = [
    chosen,
    ...(text === undefined ? [] : [valueSchema(textField ?? '', text, names)]),
  ];
  return forms.length === 1 ? chosen : { anyOf: forms };
}

/** One value or an array: `watermark` and its other spellings accept both. */
function listSchema(name: string, setting: ListSetting, names: TableNames): Schema {
  const one = valueSchema(name, setting.of, names);
  const text = setting.isCommaSeparated ? [{ type: 'string', pattern: ',' } as const] : [];
  const item = { xml: { name: name.replace(/s$/, '') } };
  const several = {
    type: 'array',
    maxItems: setting.max,
    items: { ...one, ...item },
    xml: { wrapped: true },
  } as const;
  return { anyOf: [one, several, ...text] };
}

/** Matches objects in which the field is set; null means not set. */
function given(name: string): Schema {
  return { required: [name], properties: { [name]: { not: { type: 'null' } } } };
}

/** The description of a setting: its help text, unit, default and section of the service document. */
function description(setting: Setting): string {
  const { help, defaultText, section } = setting;
  const unit = 'unit' in setting && setting.unit !== undefined ? ` In ${setting.unit}.` : '';
  const fallback = defaultText === undefined ? '' : ` Default: ${defaultText}.`;
  const sectionNote =
    section === 'addition'
      ? 'An addition to the service.'
      : /^\d/.test(section)
        ? `Section ${section}.`
        : `Chapter ${section}.`;
  return `${help[0]?.toUpperCase()}${help.slice(1)}.${unit}${fallback} ${sectionNote}`;
}

function orNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  // An empty schema accepts null already.
  if (Object.keys(schema).length === 0) return schema;
  if (type === undefined)
    return anyOf === undefined ? { anyOf: [schema, nothing] } : { ...schema, anyOf: [...anyOf, nothing] };
  const values = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...schema, ...values, type: [...[type].flat(), 'null'] };
}

const nothing: Schema = { type: 'null' };

/** A setting with a single value and no nested settings. */
type PlainSetting = Exclude<Setting, ObjectSetting | ListSetting>;

const integerPattern = '^-?(?:0|[1-9]\\d*)$';
const decimalPattern = '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$';
const timecode = '^(?:\\d{1,2}:[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|(?:0|[1-9]\\d*)(?:\\.\\d+)?)$';
const size = '^[1-9]\\d*[xX][1-9]\\d*$';
const headerName = "^[\\w!#$%&'*+.^`|~\\-]+$";

/**
 * The schema of a plain value as it may be sent: numbers and booleans also as text (contract, section 3). The daemon
 * rejects everything that the schema rejects, and validates more: numbers in texts, control characters, and the
 * segments of a path.
 */
function plainSchema(setting: PlainSetting): Schema {
  switch (setting.kind) {
    case 'integer': {
      const pattern = setting.acceptsAuto ? `^auto$|${integerPattern}` : integerPattern;
      return { type: ['integer', 'string'], ...rangeOf(setting), pattern };
    }
    case 'number':
      return { type: ['number', 'string'], ...rangeOf(setting), pattern: decimalPattern };
    case 'number-choice': {
      const { choices } = setting;
      return { type: ['integer', 'string'], enum: [...choices, ...choices.map(String)] };
    }
    case 'boolean':
      return {
        type: ['boolean', 'integer', 'string'],
        enum: [true, false, 1, 0, 'true', 'false', '1', '0', ...(setting.mayBeAuto === true ? ['auto'] : [])],
      };
    case 'text':
      return {
        ...(setting.maxNumber === undefined
          ? { type: 'string' }
          : { type: ['string', 'integer'], minimum: 0, maximum: setting.maxNumber }),
        ...(setting.mayBeEmpty || setting.emptyMeansOmitted ? {} : { minLength: 1 }),
        maxLength: setting.maxLength,
        ...(setting.form === undefined ? {} : { pattern: `^(?:${setting.form.pattern})$` }),
      };
    case 'url':
      return { type: 'string', maxLength: maxUrlLength, pattern: schemePattern(setting) };
    case 'choice': {
      const { choices, aliases = {}, trueMeans, default: _, ...others } = setting;
      if (trueMeans !== undefined) {
        return {
          anyOf: [plainSchema({ ...others, choices, aliases }), plainSchema({ ...others, kind: 'boolean' })],
        };
      }
      const words = [...choices, ...Object.keys(aliases)];
      return {
        anyOf: [
          { type: 'string', enum: choices },
          { type: 'string', pattern: `^(?:${words.map(inAnyCase).join('|')})$` },
        ],
      };
    }
    case 'ratio':
      return { type: 'string', pattern: '^[1-9]\\d*:[1-9]\\d*$' };
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
      const word = setting.isSigned ? '|[cC][eE][nN][tT][eE][rR](?:[eE][dD])?' : '';
      const pattern = `^(?:${sign}(?:0|[1-9]\\d*)(?:\\.\\d+)?%?${word})$`;
      return { type: ['integer', 'string'], minimum: lowerBound, maximum: sidePixels.max, pattern };
    }
    case 'map':
      return mapSchema(setting);
    case 'unchecked':
      return {};
  }
}

function rangeOf({ min, max }: { readonly min: number; readonly max: number }): Schema {
  return { minimum: min, maximum: max };
}

function schemePattern({ schemes, emptyMeansOmitted, acceptsEmail }: UrlSetting): string {
  const known =
    schemes === undefined ? '[A-Za-z][A-Za-z\\d+.\\-]*' : `(?:${schemes.map(inAnyCase).join('|')})`;
  if (acceptsEmail) return `^(?:${known}:/|[^\\s/:@]+@[^\\s/:@]+$)`;
  return emptyMeansOmitted ? `^(?:$|${known}:/)` : `^${known}:/`;
}

const tagName = '^[A-Za-z\\d][\\w.\\-]*$';
// Control characters except line feeds.
const tagValue = '^[^\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]*$';

function mapSchema({ of, words, max, maxNameLength, maxLength, reserved }: MapSetting): Schema {
  const reservedPattern = reserved.map((text) => inAnyCase(text).replace(/\*$/, '.*')).join('|');
  const map: Schema = {
    type: 'object',
    maxProperties: max,
    propertyNames: {
      maxLength: maxNameLength,
      pattern: of === 'tags' ? tagName : headerName,
      not: { pattern: `^(?:${reservedPattern})$` },
    },
    additionalProperties: {
      type: 'string',
      maxLength,
      pattern: of === 'tags' ? tagValue : '^[\\x20-\\x7e]*$',
    },
  };
  if (words === undefined) return map;
  return { anyOf: [map, { type: 'string', pattern: `^(?:${words.map(inAnyCase).join('|')})$` }] };
}

/** A case-insensitive pattern for a word: JSON Schema has no flag for that. */
function inAnyCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}
