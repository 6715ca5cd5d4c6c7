import { type Representation, type Route, type RouteName, routes } from '../../../src/shared/routes.js';
import type { Method, Operation, PathItem } from './document-types.js';
import { parametersOf } from './parameters.js';
import { requestBodyOf } from './request-schemas.js';
import { type RouteVariant, responsesOf } from './responses.js';

const suffixes: Readonly<Record<Representation, string>> = { json: '.json', xml: '.xml', jsonp: '.js' };
const namesOfForms: Readonly<Record<Representation, string>> = { json: 'Json', xml: 'Xml', jsonp: 'Jsonp' };
/** The methods of a route that takes any, the one of the table first. */
const otherMethods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Every address, with its methods. The plain address of a route has every form of the answer as a media type, which is what a generated
 * client gets along with best; each suffix is an address of its own, with that one form, for who looks for it by name.
 */
export function pathItems(): Readonly<Record<string, PathItem>> {
  const items = new Map<string, PathItem>();
  // The keys of the table are the names of routes, which Object.entries forgets.
  for (const [name, route] of Object.entries<Route>(routes) as [RouteName, Route][]) {
    for (const suffix of [null, ...suffixesOf(route)]) {
      const variant: RouteVariant = { name, route, suffix };
      const path = `${template(route)}${suffix === null ? '' : suffixes[suffix]}`;
      items.set(path, { ...items.get(path), ...operationsOf(variant) });
    }
  }
  return Object.fromEntries(items);
}

/** The path of a route as OpenAPI writes it: `/v2/jobs/{id}`. */
function template({ path }: Route): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** The name of a file keeps its dots, so that there no suffix is one. */
function suffixesOf({ path, representations }: Route): readonly Representation[] {
  return path.includes(':name') ? [] : representations;
}

function operationsOf(variant: RouteVariant): PathItem {
  // The methods of routes in lower case are those of OpenAPI, which toLowerCase cannot say.
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
    operationId: `${name}${byMethod}${suffix === null ? '' : namesOfForms[suffix]}`,
    tags: [suffix === null ? tagOf(route) : tagOfSuffixes],
    summary: route.summary,
    description: description(variant),
    security: route.key === 'none' ? [] : [{ 'Service-Api-Key': [] }, { api_key: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(variant),
  };
}

const keys = {
  none: 'No key is needed.',
  read: 'A read-only key will do.',
  full: 'A full access key is needed.',
} as const satisfies Readonly<Record<Route['key'], string>>;

/** Only the plain address takes any method (section 4.5). */
function acceptsAnyMethod({ route, suffix }: RouteVariant): boolean {
  return route.acceptsAnyMethod === true && suffix === null;
}

function description(variant: RouteVariant): string {
  const { route, suffix } = variant;
  const sectionNote =
    route.section === 'addition' ? 'An addition to the service.' : `Section ${route.section}.`;
  const more = suffixesOf(route).map((form) => suffixes[form]);
  const forms =
    suffix !== null || more.length === 0
      ? ''
      : ` The same address with ${more.join(', ')} names the form of the answer.`;
  const any = acceptsAnyMethod(variant) ? ' Any method but HEAD and OPTIONS does the same.' : '';
  return `${sectionNote} ${keys[route.key]}${forms}${any}`;
}

function capitalised(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** The tag of addresses whose suffix names the form of the answer. */
const tagOfSuffixes = 'Addresses with a suffix';

/** Every tag, in the order in which they are told. */
export const tags = [
  { name: 'Jobs', description: 'Creating, listing, following, cancelling and repeating jobs.' },
  { name: 'Inputs and outputs', description: 'Details and progress of the files of a job.' },
  { name: 'Reports', description: 'Usage by day.' },
  { name: 'Files', description: 'Uploading inputs and fetching hosted outputs.' },
  { name: 'Service', description: 'The daemon itself.' },
  { name: 'Earlier versions', description: 'Version 1 and the unversioned addresses.' },
  {
    name: tagOfSuffixes,
    description:
      'The same operations at addresses that end in .json, .xml or .js and so name the form of the answer.',
  },
] as const;

type TagName = (typeof tags)[number]['name'];

const byPath: readonly (readonly [RegExp, TagName])[] = [
  [/^\/v2\/jobs/, 'Jobs'],
  [/^\/v2\/(?:inputs|outputs)/, 'Inputs and outputs'],
  [/^\/v2\/reports/, 'Reports'],
  [/^\/v2\/uploads|^\/hosted/, 'Files'],
  [/^\/(?:jobs|inputs|outputs|v1)(?:\/|$)/, 'Earlier versions'],
];

/** The tag of a route at its plain address. */
function tagOf({ path }: Route): TagName {
  return byPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'Service';
}
