import { VencError } from '../../src/api/errors.js';
import type { Route } from '../../src/api/routes.js';
import type { Workshop } from '../actions/workshop.js';
import type { Exchange } from './exchange.js';

type KeyHolder = NonNullable<ReturnType<Workshop['accounts']['holderOf']>>;

/**
 * Who asks (section 5). The key is looked for in the header, in the query and in the body; the first that is present
 * decides. A missing or unknown key is 401 on collections and 404 on what is addressed by an id, as if that did not
 * exist; a read-only key where a full one is needed is 403.
 */
export async function authenticate(workshop: Workshop, route: Route, exchange: Exchange): Promise<KeyHolder> {
  const key = await givenKey(exchange);
  const holder = key === null ? null : workshop.accounts.holderOf(key);
  if (holder === null) {
    if (route.path.includes(':id'))
      throw new VencError('NotFoundError', 'There is nothing with this id for this API key.');
    throw new VencError(
      'UnauthorizedError',
      key === null ? 'The API key is missing.' : 'The API key is not known.',
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

async function givenKey({ incoming, url, body }: Exchange): Promise<string | null> {
  const header = incoming.headers['service-api-key'] ?? incoming.headers['zencoder-api-key'];
  if (header !== undefined) return String(header);
  const query = url.searchParams.get('api_key');
  if (query !== null) return query;
  // Without a key a body that cannot be read is no key either: who may not ask is not told about their JSON.
  const sent = hasBody(incoming) ? await body().catch(() => undefined) : undefined;
  const key = isObject(sent) ? sent.api_key : undefined;
  return typeof key === 'string' ? key : null;
}

function hasBody({ headers }: Exchange['incoming']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
