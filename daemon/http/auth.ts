import { VencError } from '../../src/api/errors.js';
import type { Route } from '../../src/api/routes.js';
import type { Workshop } from '../actions/workshop.js';
import type { Exchange } from './exchange.js';

type KeyHolder = NonNullable<ReturnType<Workshop['accounts']['holderOf']>>;

/** Whose key came with a request: the holder of a good one, or what was wrong. */
export interface GivenKey {
  readonly holder: KeyHolder | null;
  readonly isGiven: boolean;
}

/**
 * Who asks (section 5). The key is looked for in the header, in the query and in the body; the first that is present
 * decides.
 */
export async function identify(workshop: Workshop, exchange: Exchange): Promise<GivenKey> {
  const key = await givenKey(exchange);
  return { holder: key === null ? null : workshop.accounts.holderOf(key), isGiven: key !== null };
}

/**
 * Refuses who may not ask. A missing or unknown key is 401 on collections and 404 on what is addressed by an id, as if
 * that did not exist; a read-only key where a full one is needed is 403.
 */
export function authorize(route: Route, { holder, isGiven }: GivenKey): KeyHolder {
  if (holder === null) {
    if (route.path.includes(':id'))
      throw new VencError('NotFoundError', 'There is nothing with this id for this API key.');
    throw new VencError(
      'UnauthorizedError',
      isGiven ? 'The API key is not known.' : 'The API key is missing.',
    );
  }
  if (holder.kind === 'read-only' && route.key === 'full') {
    throw new VencError(
      'ForbiddenError',
      'This needs a full access key; the one given may only read inputs and outputs.',
    );
  }
  return holder;
}

async function givenKey(exchange: Exchange): Promise<string | null> {
  const { headers } = exchange.incoming;
  const header = headers['service-api-key'] ?? headers['zencoder-api-key'];
  if (header !== undefined) return String(header);
  const query = exchange.query('api_key');
  if (query !== null) return query;
  // Without a key a body that cannot be read is no key either: who may not ask is not told about their JSON.
  const sent = hasBody(exchange.incoming) ? await exchange.body().catch(() => undefined) : undefined;
  const key = isObject(sent) ? sent.api_key : undefined;
  return typeof key === 'string' ? key : null;
}

function hasBody({ headers }: Exchange['incoming']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
