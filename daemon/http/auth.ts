import { isVencError, VencError } from '../../src/shared/errors.js';
import type { Route } from '../../src/shared/routes.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { Workshop } from '../actions/app-context.js';
import type { Exchange } from './request-context.js';

type KeyHolder = NonNullable<ReturnType<Workshop['accounts']['holderOf']>>;

/** Whose key came with a request: the holder of a good one, or what was wrong. */
export interface GivenKey {
  readonly holder: KeyHolder | null;
  readonly isGiven: boolean;
  /** Why the body could not be read where it was the last place for a key; empty otherwise. */
  readonly bodyComplaints: readonly string[];
}

type Socket = Exchange['incoming']['socket'];
type KeyDigest = ReturnType<Workshop['accounts']['digestOf']>;

/** Finds out who asks. */
export class Identifier {
  readonly #workshop: Workshop;
  /** The latest key of each connection: most carry the same one with every request, and hashing it is a good part of a small answer. */
  readonly #latest = new WeakMap<Socket, { readonly key: string; readonly digest: KeyDigest }>();

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  /**
   * Who asks (section 5). The key is looked for in the header, in the query and in the body; the first that is present
   * decides. A promise only where the body has to be read, or the key is not known: it may have been made a moment ago.
   */
  identify(exchange: Exchange): GivenKey | Promise<GivenKey> {
    const { headers } = exchange.incoming;
    const key = headers['service-api-key'] ?? headers['zencoder-api-key'] ?? exchange.query('api_key');
    if (key !== null) return this.#holderNow(exchange, String(key));
    return hasBody(exchange.incoming) ? this.#keyInBody(exchange) : noKey;
  }

  #holderNow(exchange: Exchange, key: string): GivenKey | Promise<GivenKey> {
    const { accounts } = this.#workshop;
    const digest = this.#digestOf(exchange.incoming.socket, key);
    const found = () => ({ ...noKey, holder: accounts.holderOfDigest(digest), isGiven: true });
    const known = found();
    return known.holder === null ? accounts.refresh().then(found) : known;
  }

  #digestOf(socket: Socket, key: string): KeyDigest {
    const latest = this.#latest.get(socket);
    if (latest?.key === key) return latest.digest;
    const digest = this.#workshop.accounts.digestOf(key);
    this.#latest.set(socket, { key, digest });
    return digest;
  }

  async #keyInBody(exchange: Exchange): Promise<GivenKey> {
    try {
      const sent = await exchange.body();
      const key = isObject(sent) ? sent.api_key : undefined;
      return typeof key === 'string' ? this.#holderNow(exchange, key) : noKey;
    } catch (error) {
      return { ...noKey, bodyComplaints: isVencError(error) ? error.complaints : [] };
    }
  }
}

const noKey: GivenKey = { holder: null, isGiven: false, bodyComplaints: [] };

/**
 * Refuses who may not ask. A missing or unknown key is 401 on collections and 404 on what is addressed by an id, as if
 * that did not exist; a read-only key where a full one is needed is 403. A key may well stand in a body that cannot be read:
 * then it is told what is wrong with that.
 */
export function authorize(route: Route, { holder, isGiven, bodyComplaints }: GivenKey): KeyHolder {
  if (holder === null) {
    if (route.path.includes(':id'))
      throw refusal('NotFoundError', 'There is nothing with this id for this API key.', bodyComplaints);
    const message = isGiven ? 'The API key is not known.' : 'The API key is missing.';
    throw refusal('UnauthorizedError', message, bodyComplaints);
  }
  if (holder.kind === 'read-only' && route.key === 'full') {
    throw new VencError(
      'ForbiddenError',
      'This needs a full access key; the one given may only read inputs and outputs.',
    );
  }
  return holder;
}

function refusal(
  errorClass: 'NotFoundError' | 'UnauthorizedError',
  message: string,
  bodyComplaints: GivenKey['bodyComplaints'],
): VencError {
  return new VencError(errorClass, message, { complaints: [message, ...bodyComplaints] });
}

function hasBody({ headers }: Exchange['incoming']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
