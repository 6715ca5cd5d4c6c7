import { type Representation, type Route, type RouteName, routes } from '../../../src/shared/routes.js';
import { productVersion } from '../../../src/shared/version.js';
import {
  type DocumentBody,
  type Method,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type ResponseNote,
  refTo,
} from './document-types.js';
import { parametersOf, sharedParameters } from './parameters.js';
import { recordSchemas } from './record-schemas.js';
import { requestBodies, requestBodyOf, requestSchemas } from './request-schemas.js';
import { errorResponseComponents, headers, type RouteVariant, responsesOf } from './responses.js';

const version = '3.1.1';

/**
 * Builds the OpenAPI document from the tables of routes, records, settings and errors. Returns a function that gives
 * its bytes in two chunks for a base URL, which is that of the daemon as the client sees it, without a trailing slash.
 * The second chunk, everything except the servers, is created once and shared by all responses. `maxOutputs` is the
 * maximum number of outputs of a job.
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
    { url: `${baseUrl}/api`, description: 'The same daemon, at the path that existing client libraries use' },
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
      responses: onlyReferenced(errorResponseComponents(), JSON.stringify(paths)),
      parameters: sharedParameters,
      requestBodies,
      headers,
      securitySchemes,
    },
  };
}

/** Error responses that belong to no operation: the description of the document explains them. */
const withoutOperation: readonly string[] = ['NotFound', 'MethodNotAllowed', 'InternalServerError'];

/** Keeps the responses that are referenced, because not every error occurs in every format. */
function onlyReferenced(
  responses: Readonly<Record<string, ResponseNote>>,
  text: string,
): Readonly<Record<string, ResponseNote>> {
  const used = Object.entries(responses).filter(
    ([name]) => withoutOperation.includes(name) || text.includes(`"#/components/responses/${name}"`),
  );
  return Object.fromEntries(used);
}

/** The description of the service, and what applies to every path. */
const info = {
  title: 'venc',
  version: productVersion,
  summary: 'Encodes video: a local daemon with the API of an encoding service.',
  description: `A job names one input and any number of outputs; the daemon fetches the input, encodes each output and delivers it.

**Paths.** Every path is also available below \`/api\`. Repeated and trailing slashes are ignored.

**Response formats.** JSON, XML or, where documented, JSONP. The format is selected by the suffix \`.json\`, \`.xml\` or \`.js\`, otherwise by \`format\` in the query, otherwise by the header \`Accept\`; the default is JSON. XML mirrors the JSON: the root is \`api-response\`, elements have the names of the JSON keys, \`type\` is \`integer\`, \`float\`, \`boolean\` or \`array\` unless the value is text, and \`nil="true"\` means null.

**API keys.** Send the key in the header \`Service-Api-Key\` (or \`Zencoder-Api-Key\`), in the query as \`api_key\`, or in the body as \`api_key\`; the first of these that is present is used. Without a known key, collections return 401, and paths with an id return 404. A key that has expired is answered with 401. A read-only key can read inputs, outputs and their progress. A viewer key can read everything that a full access key of its account can, and change nothing.

**Errors.** All errors of a request are returned at once, as \`{"errors": ["..."]}\`, in the requested format. In addition to the responses of each operation: 404 for unknown paths, 405 with \`Allow\` for methods that a path does not support, 500 for internal errors, and 400, 408, 417 or 431 for invalid HTTP.

**Methods.** \`HEAD\` returns the headers of \`GET\` without the body. \`OPTIONS\` returns 204 with the CORS headers.

**Requests.** Numbers and booleans may be sent as text, 1 and 0 are booleans, null means not set, and a single object is accepted instead of an array of one. Unknown fields are ignored, and the response lists them as \`warnings\`; with \`strict\` they are rejected.`,
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** Where the API key is sent. */
const securitySchemes = {
  'Service-Api-Key': {
    type: 'apiKey',
    in: 'header',
    name: 'Service-Api-Key',
    description: 'The key in a header, which is preferred (section 5).',
  },
  api_key: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The key in the query (section 5).' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The key as a bearer token, for `/metrics`.' },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'The key as the password, with any user name, for `/metrics`.',
  },
  worker: {
    type: 'http',
    scheme: 'bearer',
    description: 'A worker key, which `venc keys create --worker` prints, as a bearer token.',
  },
} as const;

const webhookHeaders = [
  ['webhook-id', 'Id of the notification, the same for every delivery attempt.'],
  ['webhook-timestamp', 'Time of the delivery attempt, in seconds since 1970.'],
  [
    'webhook-signature',
    'Signature with the notification secret of the account, as defined by Standard Webhooks.',
  ],
] as const;

const webhookParameters: readonly Parameter[] = webhookHeaders.map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

/** The requests that the daemon sends to the URLs in `notifications`. */
const webhooks = {
  jobEnded: { post: webhookOperation('jobEnded', 'JobNotification', 'A job ended') },
  outputEnded: { post: webhookOperation('outputEnded', 'OutputNotification', 'An output ended') },
} as const;

function webhookOperation(operationId: string, schema: string, summary: string) {
  return {
    operationId,
    summary,
    description:
      'An addition to the service. A notification that is not accepted is sent again, up to 20 times in total.',
    security: [],
    parameters: webhookParameters,
    requestBody: {
      description: 'The notification, in the requested format.',
      required: true,
      content: {
        'application/json': { schema: refTo(schema) },
        'application/xml': { schema: refTo(schema) },
      },
    },
    responses: { '2XX': { description: 'The notification is accepted.' } },
  };
}

const suffixes: Readonly<Record<Representation, string>> = {
  json: '.json',
  xml: '.xml',
  jsonp: '.js',
  text: '.txt',
};
const formatNames: Readonly<Record<Representation, string>> = {
  json: 'Json',
  xml: 'Xml',
  jsonp: 'Jsonp',
  text: 'Text',
};
/** All methods, for routes that accept any. */
const otherMethods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * All paths with their operations. The plain path of a route lists every response format as a media type, which suits
 * generated clients best. Each suffix is a separate path with only its format, for readers who search for it.
 */
function pathItems(): Readonly<Record<string, PathItem>> {
  const items = new Map<string, PathItem>();
  // Object.entries loses the type of the keys, which are route names.
  for (const [name, route] of Object.entries<Route>(routes) as [RouteName, Route][]) {
    for (const suffix of [null, ...suffixesOf(route)]) {
      const variant: RouteVariant = { name, route, suffix };
      const path = `${template(route)}${suffix === null ? '' : suffixes[suffix]}`;
      items.set(path, { ...items.get(path), ...operationsOf(variant) });
    }
  }
  return Object.fromEntries(items);
}

/** The path of a route in OpenAPI syntax: `/v2/jobs/{id}`. */
function template({ path }: Route): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** A path that ends in a file name has no suffixes: its dots are part of the name. */
function suffixesOf({ path, representations }: Route): readonly Representation[] {
  return path.endsWith(':name') ? [] : representations;
}

function operationsOf(variant: RouteVariant): PathItem {
  // toLowerCase loses the type: route methods in lower case are those of OpenAPI.
  const own = variant.route.method.toLowerCase() as Method;
  const others = acceptsAnyMethod(variant) ? otherMethods.filter((method) => method !== own) : [];
  return Object.fromEntries(
    [own, ...others].map((method) => [
      method,
      operation(variant, method, method === own ? '' : `By${capitalised(method)}`),
    ]),
  );
}

function operation(variant: RouteVariant, method: Method, byMethod: string): Operation {
  const { name, route, suffix } = variant;
  const parameters = parametersOf(variant);
  const requestBody = requestBodyOf(route, method);
  return {
    operationId: `${name}${byMethod}${suffix === null ? '' : formatNames[suffix]}`,
    tags: [suffix === null ? tagOf(route) : tagOfSuffixes],
    summary: route.summary,
    description: description(variant),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(variant),
  };
}

function securityOf({ key }: Route): Operation['security'] {
  if (key === 'none') return [];
  if (key === 'worker') return [{ worker: [] }];
  const usual = [{ 'Service-Api-Key': [] }, { api_key: [] }];
  return key === 'owner' ? [...usual, { bearer: [] }, { basic: [] }, {}] : usual;
}

const keys = {
  none: 'No key is needed.',
  read: 'A read-only key is sufficient.',
  full: 'A full access key is needed.',
  owner:
    'A full access key of the account default is needed, also as `Authorization`, except for programs on the same machine.',
  worker: 'A worker key is needed, as a bearer token.',
} as const satisfies Readonly<Record<Route['key'], string>>;

/** Which key a route needs. A viewer key is sufficient to read. */
function keyNote({ key, method }: Route): string {
  return method === 'GET' ? keys[key].replace('A full access key', 'A full access or viewer key') : keys[key];
}

/** Only the plain path accepts any method (section 4.5). */
function acceptsAnyMethod({ route, suffix }: RouteVariant): boolean {
  return route.acceptsAnyMethod === true && suffix === null;
}

function description(variant: RouteVariant): string {
  const { route, suffix } = variant;
  const sectionNote =
    route.section === 'addition' ? 'An addition to the service.' : `Section ${route.section}.`;
  const more = suffixesOf(route).map((form) => suffixes[form]);
  const forms =
    suffix !== null || more.length === 0 ? '' : ` A suffix selects the response format: ${more.join(', ')}.`;
  const any = acceptsAnyMethod(variant) ? ' Any method except HEAD and OPTIONS is accepted.' : '';
  return `${sectionNote} ${keyNote(route)}${forms}${any}`;
}

function capitalised(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** The tag of paths with a suffix. */
const tagOfSuffixes = 'Paths with a suffix';

/** All tags, in the order of the document. */
const tags = [
  { name: 'Jobs', description: 'Creating, listing, following, cancelling and repeating jobs.' },
  { name: 'Inputs and outputs', description: 'Details and progress of the files of a job.' },
  { name: 'Reports', description: 'Usage by day.' },
  { name: 'Files', description: 'Uploading inputs and downloading hosted outputs.' },
  { name: 'Workers', description: 'For `venc worker` on other machines.' },
  { name: 'Service', description: 'The daemon itself.' },
  { name: 'Earlier versions', description: 'Version 1 and the unversioned paths.' },
  {
    name: tagOfSuffixes,
    description:
      'The same operations at paths that end in .json, .xml, .js or .txt, which selects the response format.',
  },
] as const;

type TagName = (typeof tags)[number]['name'];

const byPath: readonly (readonly [RegExp, TagName])[] = [
  [/^\/v2\/jobs/, 'Jobs'],
  [/^\/v2\/(?:inputs|outputs)/, 'Inputs and outputs'],
  [/^\/v2\/reports/, 'Reports'],
  [/^\/v2\/uploads|^\/hosted/, 'Files'],
  [/^\/worker\//, 'Workers'],
  [/^\/(?:jobs|inputs|outputs|v1)(?:\/|$)/, 'Earlier versions'],
];

/** The tag of the plain path of a route. */
function tagOf({ path }: Route): TagName {
  return byPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'Service';
}
