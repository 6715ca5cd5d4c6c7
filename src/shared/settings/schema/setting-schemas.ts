import { exampleValue, kindOf, parseValue } from '../kinds/groups.js';
import { isOff } from '../kinds/text.js';
import type { ChoiceSetting, ListSetting, ObjectSetting, Setting, SettingsTable } from '../setting.js';
import type { Schema, SchemaDialect, Schemas } from './schema.js';

/** How the schema of a table is written. */
export interface TableSchemaOptions {
  readonly dialect: SchemaDialect;
  /** Tables of settings with a named schema, by name; all others are inline. */
  readonly names: ReadonlyMap<SettingsTable, string>;
}

/**
 * The schema of an object with these settings. Each spelling of a setting is a property; spellings other than the name
 * are marked as deprecated. null means not set. The daemon ignores unknown properties with a warning; an editor reports
 * them.
 */
export function settingsSchema(table: SettingsTable, options: TableSchemaOptions): Schema {
  const entries = Object.entries(table);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    type: 'object',
    properties: propertiesOf(table, options),
    ...(required.length === 0 ? {} : { required }),
    ...(isForEditors(options) ? { additionalProperties: false } : {}),
  };
}

function isForEditors({ dialect }: TableSchemaOptions): boolean {
  return dialect.name === 'editor';
}

function propertiesOf(table: SettingsTable, options: TableSchemaOptions): Schemas {
  const properties = Object.entries(table).flatMap(([name, setting]) => {
    const others = (setting.spellings ?? []).map((spelling) => {
      // The default is omitted: a client that fills it in would contradict the value of the other spelling.
      const schema = orNull(valueSchema(spelling, setting, options));
      const deprecated = isForEditors(options) ? {} : ({ deprecated: true } as const);
      const alias: Schema = { ...schema, description: `Another spelling of ${name}.`, ...deprecated };
      return [spelling, alias] as const;
    });
    return [[name, propertySchema(name, setting, options)] as const, ...others];
  });
  return Object.fromEntries(properties);
}

function propertySchema(name: string, setting: Setting, options: TableSchemaOptions): Schema {
  const schema = valueSchema(name, setting, options);
  const described = {
    ...(setting.isRequired ? schema : orNull(schema)),
    description: description(setting, options),
    ...(isForEditors(options) ? examplesOf(setting) : {}),
  };
  if (!('default' in setting) || setting.default === undefined) return described;
  const isNumber = setting.kind === 'boolean' && setting.isSentAsInteger;
  return { ...described, default: isNumber ? Number(setting.default) : setting.default };
}

function examplesOf(setting: Setting): Pick<Schema, 'examples'> {
  const example = setting.rejected === undefined ? exampleValue(setting) : undefined;
  return example === undefined ? {} : { examples: [example] };
}

function valueSchema(name: string, setting: Setting, options: TableSchemaOptions): Schema {
  if (isForEditors(options) && setting.rejected !== undefined) return onlyOff(setting);
  if (setting.kind === 'object') return objectSchema(setting, options);
  if (setting.kind === 'list') return listSchema(name, setting, options);
  return scalarSchema(isForEditors(options) ? withoutRejected(setting) : setting, options);
}

function scalarSchema(setting: Setting, options: TableSchemaOptions): Schema {
  const schema: Schema = kindOf(setting).schema?.(setting) ?? {};
  const mayBePath = setting.kind === 'url' && setting.mayBePath === true && isForEditors(options);
  return mayBePath ? orPath(schema) : schema;
}

/** A URL, or any text that does not begin with a scheme. */
function orPath({ pattern, ...schema }: Schema): Schema {
  return { ...schema, pattern: `${pattern}|^(?![A-Za-z][A-Za-z0-9+.\\-]*:).` };
}

/** A choice without the values that every request is rejected for. */
function withoutRejected(setting: Setting): Setting {
  const { rejectedValues } = setting;
  if (setting.kind !== 'choice' || rejectedValues === undefined) return setting;
  const isAccepted = (choice: string) => !Object.hasOwn(rejectedValues, choice);
  const aliases = Object.entries(setting.aliases ?? {}).filter(([, choice]) => isAccepted(choice));
  return {
    ...setting,
    choices: setting.choices.filter(isAccepted),
    aliases: Object.fromEntries(aliases),
  } satisfies ChoiceSetting;
}

/** The values with which a setting that is rejected counts as omitted. */
function onlyOff(setting: Setting): Schema {
  const { unless = [] } = setting;
  const isAccepted = (given: unknown): boolean => {
    const { value, validationErrors } = parseValue(setting, given, '');
    const isUnless = unless.some((one) => String(one) === String(value));
    return validationErrors.length === 0 && (value === undefined || isOff(value) || isUnless);
  };
  const words = [...unless, false, 0, 'false', '0', 'none', ''].filter(isAccepted);
  const texts = new Map(words.map((word) => [JSON.stringify(word), word] as const));
  return {
    anyOf: [
      // Unless an object is one: the rows have texts, numbers and booleans only.
      { enum: [...texts.values()] as (string | number | boolean)[] },
      ...(isAccepted({}) ? [{ type: 'object', maxProperties: 0 } as const] : []),
      ...(isAccepted([]) ? [{ type: 'array', maxItems: 0 } as const] : []),
    ].filter((one) => one.enum === undefined || one.enum.length > 0),
  };
}

function objectSchema(setting: ObjectSetting, options: TableSchemaOptions): Schema {
  const name = options.names.get(setting.fields);
  const settingSchema =
    name === undefined ? settingsSchema(setting.fields, options) : options.dialect.refTo(name);
  const { oneOf, textField } = setting;
  const chosen =
    oneOf === undefined ? settingSchema : { allOf: [settingSchema, { anyOf: oneOf.map(given) }] };
  const text = textField === undefined ? undefined : setting.fields[textField];
  const forms: readonly Schema[] = [
    chosen,
    ...(text === undefined ? [] : [valueSchema(textField ?? '', text, options)]),
  ];
  return forms.length === 1 ? chosen : { anyOf: forms };
}

/** One value or an array: `watermark` and its other spellings accept both. */
function listSchema(name: string, setting: ListSetting, options: TableSchemaOptions): Schema {
  const one = valueSchema(name, setting.of, options);
  const text = setting.isCommaSeparated ? [{ type: 'string', pattern: ',' } as const] : [];
  const item = isForEditors(options) ? {} : { xml: { name: name.replace(/s$/, '') } };
  const several = {
    type: 'array',
    ...(setting.isNeverEmpty === true ? { minItems: 1 } : {}),
    maxItems: setting.max,
    items: { ...one, ...item },
    ...(isForEditors(options) ? {} : ({ xml: { wrapped: true } } as const)),
  } as const;
  return { anyOf: [one, several, ...text, ...groupSchemas(setting, options)] };
}

/** Entries by the name of their group. Other objects are accepted in the OpenAPI document, which allows any names. */
function groupSchemas({ of, groupField }: ListSetting, options: TableSchemaOptions): readonly Schema[] {
  if (groupField === undefined || of.kind !== 'object' || !isForEditors(options)) return [];
  const { [groupField]: _, ...fields } = of.fields;
  const entry = settingsSchema(fields, options);
  const entries: Schema = { anyOf: [entry, { type: 'array', items: entry }] };
  return [{ type: 'object', additionalProperties: orNull(entries) }];
}

/** Matches objects in which the field is set; null means not set. */
export function given(name: string): Schema {
  return { type: 'object', required: [name], properties: { [name]: { not: { type: 'null' } } } };
}

/** The description of a setting: its help text, unit, default and section of the service document. */
function description(setting: Setting, options: TableSchemaOptions): string {
  const { help, defaultText, section } = setting;
  const unit = 'unit' in setting && setting.unit !== undefined ? ` In ${setting.unit}.` : '';
  const fallback = defaultText === undefined ? '' : ` Default: ${defaultText}.`;
  const text = `${help[0]?.toUpperCase()}${help.slice(1)}.${unit}${fallback}`;
  return isForEditors(options) ? text : `${text} ${sectionNote(section)}`;
}

function sectionNote(section: string): string {
  if (section === 'addition') return 'An addition to the service.';
  return /^\d/.test(section) ? `Section ${section}.` : `Chapter ${section}.`;
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
