import type { SavedCredentials } from '../jobs/saved-credentials.js';
import { schemeOf, type TransportRegistry, transportFor, wrapTransport } from './registry.js';
import type { Transport } from './transport.js';

/** Whose saved credentials apply to a URL. */
export interface CredentialOwner {
  readonly accountId: string;
  /** The name in the request (`credentials`). */
  readonly credentials?: string | undefined;
}

/**
 * Returns the URL with the saved credentials that apply to it. A URL with a user is unchanged. The result contains the
 * secret: it is passed only to a transport.
 */
export async function withSavedCredentials(
  url: string,
  owner: CredentialOwner,
  saved: SavedCredentials,
): Promise<string> {
  const scheme = schemeOf(url);
  const [, start = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([\s\S]*)$/i.exec(url) ?? [];
  if (scheme === null || start === '' || credentialUse(url) !== 'saved') return url;
  const found = await saved.find({ accountId: owner.accountId, scheme, name: owner.credentials ?? null });
  if (found === null) return url;
  return `${start}${encodeURIComponent(found.user)}:${encodeURIComponent(found.secret)}@${rest}`;
}

/** Which credentials a transfer uses for a URL: saved ones, those of the URL itself, or none. */
export function credentialUse(url: string): 'saved' | 'own' | 'none' {
  const scheme = schemeOf(url);
  if (scheme === null || unauthenticatedSchemes.has(scheme) || !/^[^/]*:\/\//.test(url)) return 'none';
  return /^[^/]*:\/\/[^/]*@/.test(url) ? 'own' : 'saved';
}

/** Schemes of files on this machine. */
const unauthenticatedSchemes: ReadonlySet<string> = new Set(['file', 'hosted', 'upload']);

/**
 * The transport for a URL, which uses the saved credentials of its owner. Its methods take the URL without them. Throws
 * `InvalidRequestError` if the scheme is unknown.
 */
export function transportWithCredentials(
  { transports, savedCredentials }: TransportContext,
  url: string,
  owner: CredentialOwner,
): Transport {
  const complete = (address: string) => withSavedCredentials(address, owner, savedCredentials);
  return wrapTransport(transportFor(transports, url), {
    download: (download) => async (from, to, transfer) => download(await complete(from), to, transfer),
    upload: (upload) => async (from, to, transfer) => upload(from, await complete(to), transfer),
    remove: (remove) => async (at, isOwn) => remove(await complete(at), isOwn),
    sizeOf: (sizeOf) => async (from, signal) => sizeOf(await complete(from), signal),
  });
}

/** The transports, and the credentials that they use. */
interface TransportContext {
  readonly transports: TransportRegistry;
  readonly savedCredentials: SavedCredentials;
}
