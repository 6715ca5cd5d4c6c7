import { productVersion } from '../../../src/shared/version.js';
import {
  type DocumentBody,
  type OpenApiDocument,
  type Parameter,
  type ResponseNote,
  refTo,
} from './document-types.js';
import { sharedParameters } from './parameters.js';
import { pathItems, tags } from './paths.js';
import { recordSchemas } from './record-schemas.js';
import { requestBodies, requestSchemas } from './request-schemas.js';
import { errorResponseComponents, headers } from './responses.js';

const version = '3.1.1';

/**
 * The service as an OpenAPI document, derived from the tables of routes, records, settings and errors: its bytes in two pieces for any base
 * address, which is that of the daemon as the client knows it, without a slash at its end. The second piece, all but the servers, is made once and
 * shared by all answers. `maxOutputs` is the greatest number of outputs of a job.
 */
export function openApiBytes(maxOutputs: number): (baseUrl: string) => readonly Buffer[] {
  const body = Buffer.from(JSON.stringify(documentBody(maxOutputs)).slice(1));
  return (baseUrl) => [
    Buffer.from(`{"openapi":"${version}","servers":${JSON.stringify(serversAt(baseUrl))},`),
    body,
  ];
}

function serversAt(baseUrl: string): OpenApiDocument['servers'] {
  return [
    { url: baseUrl, description: 'This daemon' },
    { url: `${baseUrl}/api`, description: 'The same, as existing client libraries address it' },
  ];
}

function documentBody(maxOutputs: number): DocumentBody {
  const paths = pathItems();
  return {
    info,
    tags,
    paths,
    webhooks,
    components: {
      schemas: { ...requestSchemas({ maxOutputs }), ...recordSchemas() },
      responses: referredTo(errorResponseComponents(), JSON.stringify(paths)),
      parameters: sharedParameters,
      requestBodies,
      headers,
      securitySchemes,
    },
  };
}

/** Refusals that belong to no operation: see what is said of refusals as such. */
const ofNoOperation: readonly string[] = ['NotFound', 'MethodNotAllowed', 'InternalServerError'];

/** Not every refusal is answered in every form. */
function referredTo(
  responses: Readonly<Record<string, ResponseNote>>,
  text: string,
): Readonly<Record<string, ResponseNote>> {
  const used = Object.entries(responses).filter(
    ([name]) => ofNoOperation.includes(name) || text.includes(`"#/components/responses/${name}"`),
  );
  return Object.fromEntries(used);
}

/** What the whole document is about, and what goes for every address of it. */
const info = {
  title: 'venc',
  version: productVersion,
  summary: 'Encodes video: a local daemon that speaks the API of an encoding service.',
  description: `A job names one input and any number of outputs; the daemon fetches the input, encodes each output and delivers it.

**Addresses.** Every path is also there below \`/api\`. Repeated slashes and one at the end make no difference.

**Forms of an answer.** JSON, XML or, where it is told, JSONP. The suffix \`.json\`, \`.xml\` or \`.js\` decides; without one \`format\` in the query; then the header \`Accept\`; then it is JSON. XML mirrors the JSON: the root is \`api-response\`, elements have the names of the JSON, \`type\` is \`integer\`, \`float\`, \`boolean\` or \`array\` where a value is no text, and \`nil="true"\` is null.

**Keys.** In the header \`Service-Api-Key\` (or \`Zencoder-Api-Key\`), in the query as \`api_key\`, or in the body as \`api_key\`; the first of these that is there decides. Without a good key collections answer 401, and what is addressed by an id 404. A read-only key may read inputs, outputs and their progress.

**Refusals.** Every complaint at once, as \`{"errors": ["..."]}\`, in the form that was asked for. Beside what is told of each operation: 404 at addresses that are not there, 405 with \`Allow\` for methods that an address does not take, 500 where something went wrong inside, and 400, 408, 417 or 431 for what is no valid HTTP.

**Methods.** \`HEAD\` answers like \`GET\` without the body. \`OPTIONS\` answers 204 with what scripts of other origins may do.

**Requests.** Numbers and booleans may come as text, 1 and 0 are booleans, null is the same as leaving out, one object will do where an array of one is meant. Fields that nobody knows are ignored.`,
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** Where a key is put. */
export const securitySchemes = {
  'Service-Api-Key': {
    type: 'apiKey',
    in: 'header',
    name: 'Service-Api-Key',
    description: 'The key in a header, which is preferred (section 5).',
  },
  api_key: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The key in the query (section 5).' },
} as const;

const webhookHeaders = [
  ['webhook-id', 'Id of the notice: the same each time that it is sent.'],
  ['webhook-timestamp', 'When it was sent, in seconds since 1970.'],
  [
    'webhook-signature',
    'Signature with the notification secret of the account, as Standard Webhooks has it.',
  ],
] as const;

const webhookParameters: readonly Parameter[] = webhookHeaders.map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

/** What a daemon posts to the addresses that `notifications` of a request names. */
const webhooks = {
  jobEnded: { post: webhookOperation('jobEnded', 'JobNotice', 'A job came to its end') },
  outputEnded: { post: webhookOperation('outputEnded', 'OutputNotice', 'An output came to its end') },
} as const;

function webhookOperation(operationId: string, schema: string, summary: string) {
  return {
    operationId,
    summary,
    description: 'An addition to the service. What is not taken is sent again, up to 20 times in all.',
    security: [],
    parameters: webhookParameters,
    requestBody: {
      description: 'The notice, in the form that the request asked for.',
      required: true,
      content: {
        'application/json': { schema: refTo(schema) },
        'application/xml': { schema: refTo(schema) },
      },
    },
    responses: { '2XX': { description: 'The notice is taken.' } },
  };
}
