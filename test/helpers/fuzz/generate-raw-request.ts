import { routes } from '../../../src/shared/routes.js';
import type { Choices } from './choices.js';

/** A request that is not a create, or whose body is damaged. */
export interface RawRequest {
  readonly path: string;
  readonly init: RequestInit;
}

const ids = [
  '1',
  '2',
  '3',
  '0',
  '-1',
  '01',
  '1.5',
  '1e3',
  '2147483648',
  '99999999999999999999',
  'x',
  '%00',
  '%2e%2e',
  'ä',
  ' ',
] as const;
const suffixes = ['', '', '.json', '.xml', '.js', '.txt', '.json.xml'] as const;
const texts = [
  '',
  'a',
  '0',
  '-1',
  '1',
  '50',
  '51',
  '1e9',
  'NaN',
  '2026-02-30',
  '2026-01-01',
  '9999-12-31',
  '0000-00-00',
] as const;
const callbacks = [
  'done',
  'a.b$c',
  '',
  '1a',
  'a-b',
  'a(b',
  '<script>',
  'x'.repeat(300),
  '\u2028',
  'alert(1)//',
] as const;
const states = ['finished', 'waiting', 'no input', 'FINISHED', '%', '\0'] as const;
const accepts = [
  'application/json',
  'application/xml',
  '*/*',
  'text/html',
  '',
  'application/xml;q=0',
  ';;;',
  'a/b, */*;q=x',
] as const;
const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const;

/** A request to any route, the legacy ones included, with odd ids, suffixes, queries, callbacks, methods and headers. */
export function generateRouteRequest(choices: Choices): RawRequest {
  const route = choices.pick(
    Object.values(routes).filter(({ path }) => !path.endsWith('/events') && !path.startsWith('/v2/uploads')),
  );
  const filled = route.path.replace(/:\w+/g, () => encodeURI(choices.pick(ids)));
  const prefix = choices.chance(0.1) ? '/api' : '';
  const query = new URLSearchParams();
  const names = [
    'page',
    'per_page',
    'state',
    'from',
    'to',
    'grouping',
    'callback',
    'format',
    'download',
    'x',
  ] as const;
  for (const name of choices.sample(names, choices.integer(0, 3)))
    query.append(
      name,
      choices.pick(
        name === 'callback'
          ? callbacks
          : name === 'state'
            ? states
            : name === 'format'
              ? ['xml', 'json', 'js', 'XML', '']
              : texts,
      ),
    );
  const text = query.toString();
  const method = choices.chance(0.7) ? route.method : choices.pick(methods);
  return {
    path: `${prefix}${filled}${choices.pick(suffixes)}${text === '' ? '' : `?${text}`}`,
    init: {
      method,
      headers: choices.chance(0.5) ? { Accept: choices.pick(accepts) } : {},
      ...(method === 'POST' || method === 'PUT'
        ? { body: choices.pick(['', '{}', 'null', '[]', '<api-request/>', 'x']) }
        : {}),
    },
  };
}

const types = [
  'application/json',
  'application/xml',
  'text/xml; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  '',
] as const;

/** A create request whose body is damaged: bytes removed, repeated, swapped or replaced, and the wrong type declared. */
export function generateDamagedBody(body: string, choices: Choices): RawRequest {
  let text = body;
  for (let count = choices.integer(1, 4); count > 0; count -= 1) text = damage(text, choices);
  const headers = {
    'Content-Type': choices.pick(types),
    ...(choices.chance(0.05) ? { 'Content-Encoding': choices.pick(['gzip', 'br', '']) } : {}),
  };
  return {
    path: choices.pick(['/v2/jobs', '/jobs', '/v2/jobs.xml', '/api/v2/jobs.json']),
    init: { method: 'POST', headers, body: text },
  };
}

const pieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\\ud800',
  '<',
  '>',
  '</',
  '&',
  ']]>',
  '<!DOCTYPE a>',
  '\0',
  '\ufeff',
  '1e999',
  '-0',
  'null',
] as const;

function damage(text: string, choices: Choices): string {
  const start = choices.integer(0, text.length);
  const end = Math.min(text.length, start + choices.integer(0, 40));
  const [before, part, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  return choices.pick([
    before + after,
    before + part + part + after,
    before + choices.pick(pieces) + after,
    after + before,
    before,
    before + choices.pick(pieces).repeat(choices.integer(1, 2000)) + after,
  ]);
}
