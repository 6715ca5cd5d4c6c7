import { type Representation, type Route, type RouteName, routes } from '../../../src/shared/routes.js';
import type { Method, Operation, PathItem } from './document-types.js';
import { parametersOf } from './parameters.js';
import { requestBodyOf } from './request-schemas.js';
import { type RouteVariant, responsesOf } from './responses.js';

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
export function pathItems(): Readonly<Record<string, PathItem>> {
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
  return `${sectionNote} ${keys[route.key]}${forms}${any}`;
}

function capitalised(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** The tag of paths with a suffix. */
const tagOfSuffixes = 'Paths with a suffix';

/** All tags, in the order of the document. */
export const tags = [
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
