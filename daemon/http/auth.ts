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
 * decides. A promise only where the body has to be read.
 */
export function identify(workshop: Workshop, exchange: Exchange): GivenKey | Promise<GivenKey> {
  const { headers } = exchange.incoming;
  const key = headers['service-api-key'] ?? headers['zencoder-api-key'] ?? exchange.query('api_key');
  if (key !== null) return given(workshop, String(key));
  return hasBody(exchange.incoming)
    ? keyInBody(exchange).then((inBody) => given(workshop, inBody))
    : given(workshop, null);
}

function given(workshop: Workshop, key: string | null): GivenKey {
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

/** Without a key a body that cannot be read is no key either: who may not ask is not told about their JSON. */
async function keyInBody(exchange: Exchange): Promise<string | null> {
  const sent = await exchange.body().catch(() => undefined);
  const key = isObject(sent) ? sent.api_key : undefined;
  return typeof key === 'string' ? key : null;
}

function hasBody({ headers }: Exchange['incoming']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
