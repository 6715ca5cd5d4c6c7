import type { WorkerMessageName } from '../../../src/shared/records/worker-messages.js';
import type { Route } from '../../../src/shared/routes.js';
import { jobPriority } from '../../../src/shared/settings/limits.js';
import { jobSchemas, apiKeySchema as key } from '../../../src/shared/settings/schema/job-schemas.js';
import type { Schema, Schemas } from '../../../src/shared/settings/schema/schema.js';
import {
  type MediaType,
  type Method,
  openApiDialect,
  type Reference,
  type RequestBody,
  refTo,
} from './document-types.js';
import { messageSchemaName } from './record-schemas.js';

/** The schemas of request bodies: the job, the settings of an output, and their nested objects. */
export function requestSchemas(options: { readonly maxOutputs: number }): Schemas {
  const { job, named } = jobSchemas(openApiDialect, options.maxOutputs);
  return {
    CreateJobRequest: job,
    ...named,
    KeyRequest: {
      type: 'object',
      description: 'Only an API key.',
      properties: { api_key: key },
      xml: { name: 'api-request' },
    },
    PriorityRequest: {
      type: 'object',
      description: 'The place of a waiting job among those of its account: one of both.',
      properties: {
        priority: {
          type: 'integer',
          minimum: jobPriority.min,
          maximum: jobPriority.max,
          description: 'The job with the greatest one begins first.',
        },
        next: { type: 'boolean', description: 'Whether it begins before all others.' },
        api_key: key,
      },
      additionalProperties: false,
      xml: { name: 'api-request' },
    },
    PresetRequest: presetRequestSchema(job),
    OfferRequest: {
      type: 'object',
      description: 'A file of this machine.',
      properties: {
        path: { type: 'string', description: 'Its absolute path, without symbolic links.' },
        size: { type: 'integer', description: 'Its size in bytes.' },
        api_key: key,
      },
      additionalProperties: false,
      xml: { name: 'api-request' },
    },
    ProofRequest: {
      type: 'object',
      description: 'The proof that the client has read the ranges of an offered file.',
      properties: {
        proof: {
          type: 'string',
          description:
            'HMAC-SHA256 with the key of the offer, in hexadecimal digits: of the JSON text of the list of path and size, a line feed, and the bytes of the ranges.',
        },
        api_key: key,
      },
      additionalProperties: false,
      xml: { name: 'api-request' },
    },
    PauseRequest: {
      type: 'object',
      description: 'How the queue is paused.',
      properties: {
        for: {
          anyOf: [{ type: 'string' }, { type: 'number' }],
          description:
            'The length, such as 30m or 2h, or in seconds. Without it the pause has no end; a resume with it overrides the hours of the daemon for that time.',
        },
        now: {
          type: 'boolean',
          description:
            'Only of a pause: whether running encodes are stopped as well. A later pause without it does not let them go on.',
        },
        api_key: key,
      },
      additionalProperties: false,
      xml: { name: 'api-request' },
    },
  };
}

/** A create request without the fields that a preset cannot have. */
function presetRequestSchema({
  required: _,
  properties: { input, api_key, preset, ...properties } = {},
  ...job
}: Schema): Schema {
  return { ...job, description: 'A create request without its input.', properties };
}

const jobInXml = `<?xml version="1.0" encoding="UTF-8"?>
<api-request>
  <input>http://example.com/video.mov</input>
  <outputs type="array">
    <output>
      <label>web</label>
      <width type="integer">640</width>
    </output>
  </outputs>
</api-request>`;
const priorityInXml = '<api-request><priority>5</priority></api-request>';
const presetInXml = '<api-request><output><height>720</height></output></api-request>';
const pauseInXml = '<api-request><for>30m</for></api-request>';
const offerInXml = '<api-request><path>/films/film.mov</path><size>73400320</size></api-request>';
const proofInXml = `<api-request><proof>${'0'.repeat(64)}</proof></api-request>`;
const keyInXml = '<api-request><api_key>KEY</api_key></api-request>';

/** Request bodies by the name that operations reference. */
export const requestBodies = {
  Job: {
    description:
      'The job, in JSON or XML. A body that parses as JSON is accepted with any Content-Type. Up to 1 MiB uncompressed; Content-Encoding may be gzip.',
    required: true,
    content: forms('CreateJobRequest', jobInXml),
  },
  Key: {
    description: 'Empty, or the API key if it is neither in the header nor in the query.',
    content: forms('KeyRequest', keyInXml),
  },
  Pause: {
    description: 'Empty, or the length of the pause.',
    content: forms('PauseRequest', pauseInXml),
  },
  Priority: {
    description: 'The place of the job in the queue.',
    required: true,
    content: forms('PriorityRequest', priorityInXml),
  },
  Preset: {
    description:
      'The settings: a create request without its input. Unknown names, an API key, a preset and passwords in URLs are rejected.',
    required: true,
    content: forms('PresetRequest', presetInXml),
  },
  Offer: {
    description: 'The file.',
    required: true,
    content: forms('OfferRequest', offerInXml),
  },
  Proof: {
    description: 'The proof.',
    required: true,
    content: forms('ProofRequest', proofInXml),
  },
  File: {
    description:
      'The bytes of the whole file, without Content-Encoding. The size is limited by the free disk space.',
    required: true,
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  },
  workerJoin: message('workerJoin'),
  workerClaim: message('workerClaim'),
  workerHeartbeat: message('workerHeartbeat'),
  workerChange: message('workerChange'),
  workerCredentials: message('workerCredentials'),
} as const satisfies Readonly<Record<string, RequestBody>>;

/** The request body of an operation; undefined if it has none. */
export function requestBodyOf({ requestBody, key }: Route, method: Method): Reference | undefined {
  if (requestBody === 'job') return ref('Job');
  if (requestBody === 'file') return ref('File');
  if (requestBody === 'key') return ref('Key');
  if (requestBody === 'pause') return ref('Pause');
  if (requestBody === 'priority') return ref('Priority');
  if (requestBody === 'preset') return ref('Preset');
  if (requestBody === 'offer') return ref('Offer');
  if (requestBody === 'proof') return ref('Proof');
  if (requestBody !== undefined) return ref(requestBody);
  // OpenAPI defines no request body for other methods.
  return key !== 'none' && key !== 'worker' && ['post', 'put', 'patch'].includes(method)
    ? ref('Key')
    : undefined;
}

/** The body of a message of a worker. */
function message(name: WorkerMessageName): RequestBody {
  const schema = refTo(messageSchemaName(name));
  return {
    description: 'A message of a worker, in JSON.',
    required: true,
    content: { 'application/json': { schema } },
  };
}

function forms(schema: string, example: string): Readonly<Record<string, MediaType>> {
  return {
    'application/json': { schema: refTo(schema) },
    'application/xml': { schema: refTo(schema), example },
  };
}

function ref(name: keyof typeof requestBodies): Reference {
  return { $ref: `#/components/requestBodies/${name}` };
}
