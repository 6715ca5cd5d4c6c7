import { captionFileTable } from '../captions.js';
import { accessControlTable } from '../delivery.js';
import { jobTable, outputTable } from '../index.js';
import { notificationTable } from '../notifications.js';
import type { Setting, SettingsTable } from '../setting.js';
import { exceptionsText } from '../support.js';
import { thumbnailsTable } from '../thumbnails.js';
import { watermarkTable } from '../video.js';
import type { Schema, SchemaDialect, Schemas } from './schema.js';
import { settingsSchema } from './setting-schemas.js';

const names: ReadonlyMap<SettingsTable, string> = new Map<SettingsTable, string>([
  [outputTable, 'OutputSettings'],
  [watermarkTable, 'Watermark'],
  [captionFileTable, 'CaptionFile'],
  [thumbnailsTable, 'Thumbnails'],
  [accessControlTable, 'AccessGrant'],
  [notificationTable, 'Notification'],
]);

/** The schema of an API key in the body of a request. */
export const apiKeySchema = {
  type: 'string',
  description: 'The API key, if it is not in the header or in the query. Section 5.',
} as const;

/** The schemas of a create request. */
export interface JobSchemas {
  readonly job: Schema;
  /** The settings of an output, and their nested objects, by the names that the others refer to. */
  readonly named: Schemas;
}

/** Makes the schemas of a create request from the tables of settings. `maxOutputs` is the maximum number of outputs. */
export function jobSchemas(dialect: SchemaDialect, maxOutputs: number): JobSchemas {
  const schemaOf = (table: SettingsTable) => settingsSchema(table, { dialect, names });
  const named = [...names].map(([table, name]) => [name, schemaOf(table)] as const);
  return {
    job: jobSchema(withSupportNotes(schemaOf(jobTable), jobTable, dialect), { dialect, maxOutputs }),
    named: {
      ...Object.fromEntries(named),
      OutputSettings: withSupportNotes(schemaOf(outputTable), outputTable, dialect),
    },
  };
}

function jobSchema(
  { properties, ...job }: Schema,
  { dialect, maxOutputs }: { readonly dialect: SchemaDialect; readonly maxOutputs: number },
): Schema {
  const isForEditors = dialect.name === 'editor';
  const output = dialect.refTo('OutputSettings');
  const section = isForEditors ? '' : ' Section 4.1.';
  const several: Schema = {
    type: 'array',
    maxItems: maxOutputs,
    items: isForEditors ? output : { ...output, xml: { name: 'output' } },
    ...(isForEditors ? {} : ({ xml: { wrapped: true } } as const)),
  };
  const outputs: Schema = { anyOf: [several, output, { type: 'null' }] };
  const unknown = isForEditors
    ? ''
    : ' Unknown fields are ignored with a warning, or rejected in strict mode.';
  return {
    ...job,
    description: `A job with one input and any number of outputs. Without outputs, one is created: H.264 and AAC in MP4 within 640x480.${unknown}`,
    properties: {
      ...properties,
      outputs: { ...outputs, description: `The settings of each output, up to ${maxOutputs}.${section}` },
      output: {
        ...outputs,
        description: `Another spelling of outputs; use only one of them.${section}`,
        ...(isForEditors ? {} : ({ deprecated: true } as const)),
      },
      api_key: isForEditors ? { ...apiKeySchema, description: 'The API key of the service.' } : apiKeySchema,
    },
    ...(isForEditors ? {} : { xml: { name: 'api-request' } }),
  };
}

/** Adds to the description of each setting how this daemon handles it, if it is not fully supported. */
function withSupportNotes(schema: Schema, table: SettingsTable, dialect: SchemaDialect): Schema {
  const described = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const setting = table[name];
    const note = setting === undefined ? '' : supportNote(name, setting);
    const isDeprecated = setting?.rejected !== undefined && dialect.name === 'openapi';
    const deprecated = isDeprecated ? ({ deprecated: true } as const) : {};
    return [name, { ...property, description: `${property.description}${note}`, ...deprecated }] as const;
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

function supportNote(name: string, setting: Setting): string {
  if (setting.rejected !== undefined) return ` ${name} ${setting.rejected}.`;
  if (setting.noEffect !== undefined) return ` No effect: ${setting.noEffect}.`;
  const exceptions = exceptionsText(setting);
  return exceptions === '' ? '' : ` Supported ${exceptions}.`;
}
