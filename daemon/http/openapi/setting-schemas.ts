import { kindOf } from '../../../src/shared/settings/kinds/groups.js';
import type {
  ListSetting,
  ObjectSetting,
  Setting,
  SettingsTable,
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
  return kindOf(setting).schema?.(setting) ?? {};
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
    ...(setting.isNeverEmpty === true ? { minItems: 1 } : {}),
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
