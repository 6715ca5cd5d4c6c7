import type { Route } from '../../../src/shared/routes.js';
import type { MediaType, Method, Reference, RequestBody } from './document-types.js';
import { refTo } from './schema.js';

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
const keyInXml = '<api-request><api_key>KEY</api_key></api-request>';

/** What requests hold, by the name that operations refer to. */
export const requestBodies = {
  Job: {
    description:
      'The job, in JSON or XML. What parses as JSON is taken whatever its Content-Type. Up to 1 MiB once unpacked; Content-Encoding may be gzip.',
    required: true,
    content: forms('JobRequest', jobInXml),
  },
  Key: {
    description: 'Nothing, or the key where it is neither in the header nor in the query.',
    content: forms('KeyRequest', keyInXml),
  },
  File: {
    description: 'The bytes of the whole file, without any Content-Encoding, as long as there is room.',
    required: true,
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  },
} as const satisfies Readonly<Record<string, RequestBody>>;

/** The body of an operation; nothing where it takes none. */
export function requestBodyOf({ requestBody: takes, key }: Route, method: Method): Reference | undefined {
  if (takes === 'job') return ref('Job');
  if (takes === 'file') return ref('File');
  // The bodies of other methods mean nothing to OpenAPI.
  return key !== 'none' && ['post', 'put', 'patch'].includes(method) ? ref('Key') : undefined;
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
