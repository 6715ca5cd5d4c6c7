import { addressKind } from '../../net/addresses.js';

/**
 * Which hosts may be private, of those that a login leads to: the configured one, and the storage that it names where it is within the same
 * walls. A service of the public net must not send us to a private address.
 */
export function trustedHosts(
  auth: { readonly host: string; readonly address: string },
  storageHost: string,
): readonly string[] {
  return addressKind(auth.address) === 'private' ? [auth.host, storageHost] : [auth.host];
}
