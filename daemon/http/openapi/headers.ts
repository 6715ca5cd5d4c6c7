import type { RouteName } from '../../../src/shared/routes.js';
import type { Header, Reference } from './document-types.js';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Every header that is told of an answer. */
export const headers = {
  'Access-Control-Allow-Origin': {
    description: 'Scripts of any origin may read the answer.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
  'X-Total-Count': { description: 'Number of all jobs that match.', required: true, schema: count },
  Link: {
    description: 'Addresses of the first, previous, next and last page, without the key.',
    required: true,
    schema: text,
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Content-Type-Options': {
    description: 'The type is as told, whatever the body looks like.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'Accept-Ranges': {
    description: 'Parts can be asked for.',
    required: true,
    schema: { type: 'string', const: 'bytes' },
  },
  'Content-Range': {
    description: 'Which bytes of how many these are.',
    required: true,
    schema: { type: 'string', pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$' },
  },
  ETag: { description: 'Changes with the file; good for If-Range.', required: true, schema: text },
  'Last-Modified': { description: 'When the file was made.', required: true, schema: text },
  'Cache-Control': {
    description: 'Events are never kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Allow: { description: 'The methods that the address takes.', required: true, schema: text },
} as const satisfies Readonly<Record<string, Header>>;

/** The name of a header that is told. */
export type HeaderName = keyof typeof headers;

const ofFiles = ['Accept-Ranges', 'ETag', 'Last-Modified', 'X-Content-Type-Options'] as const;

const ofRoutes: Readonly<Partial<Record<RouteName, Readonly<Record<number, readonly HeaderName[]>>>>> = {
  listJobs: { 200: ['X-Total-Count', 'Link'] },
  jobEvents: { 200: ['Cache-Control'] },
  hostedFile: { 200: ofFiles, 206: [...ofFiles, 'Content-Range'] },
};

/** The headers that a route has of its own with a status. */
export function headersOfRoute(name: RouteName, status: number): readonly HeaderName[] {
  return ofRoutes[name]?.[status] ?? [];
}

/** The headers that a refusal has, whatever is refused. */
export function headersOfErrorResponse(status: number): readonly HeaderName[] {
  if (status === 405) return ['Allow'];
  if (status === 416) return ['Content-Range'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}

/** References to headers, with the one that every answer has. */
export function headerRefs(names: readonly HeaderName[]): Readonly<Record<string, Reference>> {
  const all: readonly HeaderName[] = ['Access-Control-Allow-Origin', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
