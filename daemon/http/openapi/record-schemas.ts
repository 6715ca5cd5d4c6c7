import { type ErrorClassEntry, errorClasses } from '../../../src/shared/error-classes.js';
import { exitCodes } from '../../../src/shared/exit-codes.js';
import { type ResponseName, responses } from '../../../src/shared/records/answers.js';
import type { Field, ObjectField, RecordTable } from '../../../src/shared/records/field.js';
import {
  jobFields,
  jobHeadFields,
  listedJobFields,
  thumbnailFields,
} from '../../../src/shared/records/job.js';
import { jobChangesFields } from '../../../src/shared/records/job-changes.js';
import { logLineFields } from '../../../src/shared/records/log.js';
import {
  inputDetailsFields,
  inputFileFields,
  listedInputFields,
  listedOutputFields,
  outputDetailsFields,
  outputFileFields,
} from '../../../src/shared/records/media.js';
import {
  jobNotificationFields,
  outputNotificationFields,
} from '../../../src/shared/records/notifications.js';
import {
  liveDayFields,
  liveSumFields,
  vodDayFields,
  vodSumFields,
} from '../../../src/shared/records/reports.js';
import { type WorkerMessageName, workerMessages } from '../../../src/shared/records/worker-messages.js';
import { type Route, routes } from '../../../src/shared/routes.js';
import type { Schema, Schemas } from '../../../src/shared/settings/schema/schema.js';
import { refTo } from './document-types.js';

/** Name of the schema of a line of a log. */
export const logLineSchema = 'LogLine';

/** Name of the schema of an event of `GET /v2/events`. */
export const jobChangesSchema = 'JobChanges';

/** Records inside responses that have a named schema; all others are inline. */
const parts: ReadonlyMap<RecordTable, string> = new Map<RecordTable, string>([
  [jobHeadFields, 'JobHead'],
  [jobFields, 'Job'],
  [listedJobFields, 'ListedJob'],
  [inputFileFields, 'InputMediaFile'],
  [listedInputFields, 'ListedInputMediaFile'],
  [outputFileFields, 'OutputMediaFile'],
  [listedOutputFields, 'ListedOutputMediaFile'],
  [inputDetailsFields, 'InputDetails'],
  [outputDetailsFields, 'OutputDetails'],
  [thumbnailFields, 'Thumbnail'],
  [logLineFields, logLineSchema],
  [jobChangesFields, jobChangesSchema],
  [liveSumFields, 'LiveUsage'],
  [liveDayFields, 'LiveDay'],
  [vodSumFields, 'VodUsage'],
  [vodDayFields, 'VodDay'],
]);

/** Fields that are absent from the JSONP form of a record (sections 2.1 and 2.2). */
const privateFields: readonly string[] = ['md5_checksum'];

/** Name of the schema of a response, e.g. `InputDetailsAnswer`. */
export function answerSchemaName(name: ResponseName, form: 'whole' | 'public' = 'whole'): string {
  const answer: Field = responses[name];
  const hasPublicForm = form === 'public' && answer.type === 'object' && hasPrivate(answer);
  return `${name[0]?.toUpperCase()}${name.slice(1)}Answer${hasPublicForm ? 'InJsonp' : ''}`;
}

/** Name of the schema of a message of a worker, e.g. `WorkerJoinMessage`. */
export function messageSchemaName(name: WorkerMessageName): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}Message`;
}

/** The schemas of all responses and notifications, and of the named records in them. */
export function recordSchemas(): Schemas {
  const fullSchemas = Object.entries<Field>(responses).map(
    // Object.entries loses the type of the keys, which are response names.
    ([name, field]) =>
      [answerSchemaName(name as ResponseName), { ...fieldSchema(field), ...root(field) }] as const,
  );
  const named = [...parts].map(
    ([fields, name]) => [name, recordSchema(fields, 'Part of a response.')] as const,
  );
  // Members that the daemon does not know are ignored.
  const messages = Object.entries<RecordTable>(workerMessages).map(
    ([name, fields]) =>
      [
        // Object.entries loses the type of the keys, which are names of messages.
        messageSchemaName(name as WorkerMessageName),
        recordSchema(fields, 'A message of a worker.', true),
      ] as const,
  );
  const publicSchemas = publicAnswers().map(
    (name) => [answerSchemaName(name, 'public'), publicSchema(responses[name])] as const,
  );
  return {
    ...Object.fromEntries([...fullSchemas, ...publicSchemas, ...named]),
    ...Object.fromEntries(messages),
    JobNotification: { ...fieldSchema(jobNotificationFields), ...root(jobNotificationFields) },
    OutputNotification: { ...fieldSchema(outputNotificationFields), ...root(outputNotificationFields) },
    ErrorClass: errorClassSchema(),
  };
}

/** The schema of a record with exactly these fields. */
function recordSchema(fields: RecordTable, description: string, isOpen = false): Schema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(entries.map(([name, field]) => [name, propertySchema(name, field)])),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: isOpen,
  };
}

function propertySchema(name: string, field: Field): Schema {
  if (name !== 'error_class') return fieldSchema(field);
  return { description: field.description, anyOf: [refTo('ErrorClass'), { type: 'null' }] };
}

/** The schema of one field. */
function fieldSchema(field: Field): Schema {
  const schema = bareSchema(field);
  if (!field.isNullable) return schema;
  if (typeof schema.type !== 'string')
    return { description: field.description, anyOf: [schema, { type: 'null' }] };
  const values = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...schema, ...values, type: [schema.type, 'null'] };
}

function bareSchema(field: Field): Schema {
  const description = field.description;
  switch (field.type) {
    case 'boolean':
      return { type: field.type, description };
    case 'integer':
    case 'number': {
      const { type, minimum, maximum, words } = field;
      const schema = { type, description, ...present({ minimum, maximum }) };
      return words === undefined ? schema : { description, anyOf: [schema, { type: 'string', enum: words }] };
    }
    case 'string': {
      const { values, format, pattern, maxLength } = field;
      return { type: 'string', description, ...present({ enum: values, format, pattern, maxLength }) };
    }
    case 'object': {
      const name = parts.get(field.fields);
      return name === undefined
        ? recordSchema(field.fields, description, field.isOpen)
        : { ...refTo(name), description };
    }
    case 'array':
      return {
        type: 'array',
        description,
        items: { ...fieldSchema(field.of), xml: { name: field.item } },
        ...present({ maxItems: field.maxItems }),
        xml: { ...(field.name === undefined ? {} : { name: field.name }), wrapped: true },
      };
  }
}

/** The members that have a value. */
function present<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> };
}

function root(field: Field): Schema {
  return field.type === 'object' ? { xml: { name: 'api-response' } } : {};
}

function publicAnswers(): readonly ResponseName[] {
  const given = Object.values<Route>(routes)
    .filter(({ representations }) => representations.includes('jsonp'))
    .flatMap(({ response: answer }) => (answer === undefined ? [] : [answer]));
  return [...new Set(given)].filter((name) => answerSchemaName(name, 'public') !== answerSchemaName(name));
}

function publicSchema(field: Field): Schema {
  if (field.type !== 'object') return fieldSchema(field);
  const open = Object.entries(field.fields).filter(([name]) => !privateFields.includes(name));
  return recordSchema(Object.fromEntries(open), `${field.description}, in the JSONP format`);
}

function hasPrivate({ fields }: ObjectField): boolean {
  return privateFields.some((name) => Object.hasOwn(fields, name));
}

/** The error classes of failed inputs and outputs, each with its meaning and what to do. */
function errorClassSchema(): Schema {
  const jobFailures = Object.entries<ErrorClassEntry>(errorClasses).filter(
    ([, { status, exitCode }]) => status === 422 && exitCode === exitCodes.jobFailed,
  );
  return {
    type: 'string',
    description: 'class of the error that an input or an output failed with',
    oneOf: jobFailures.map(([name, { meaning, advice }]) => ({
      const: name,
      description: `${meaning} ${advice}`,
    })),
  };
}
