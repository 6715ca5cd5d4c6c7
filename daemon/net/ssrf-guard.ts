import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { VencError } from '../../src/shared/errors.js';
import { addressKind, normalizedAddress } from './addresses.js';

/** Options of an SSRF guard. */
export interface SsrfGuardOptions {
  /** Whether connections to private addresses are allowed. Metadata addresses are never allowed. */
  readonly allowPrivateNetwork: boolean;
  /** Host names or addresses from the configuration of the daemon. They may be private. */
  readonly exemptHosts?: readonly string[];
  /** Resolves host names; the system resolver by default. */
  readonly lookup?: LookupFunction;
}

/**
 * Decides which addresses may be connected to (contract, section 9). A connection is safe only if all three methods
 * were used: `checkHost` before connecting, `lookup` to resolve the name, `checkSocket` afterwards. `checkHost` cannot
 * check the addresses of a name, and Node does not call `lookup` for literals. Each method fails with
 * `ForbiddenAddressError`.
 */
export interface SsrfGuard {
  /** Checks the host of a URL: an address literal in any spelling, or the well-known name of a metadata service. */
  checkHost(host: string): void;
  /** Resolves a name for `net.connect` and `tls.connect`, without the forbidden addresses. */
  readonly lookup: LookupFunction;
  /** Checks the remote address of a connected socket. */
  checkSocket(host: string, socket: Pick<Socket, 'remoteAddress'>): void;
}

const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Creates a guard. */
export function createSsrfGuard(options: SsrfGuardOptions): SsrfGuard {
  const exempt: ReadonlySet<string> = new Set((options.exemptHosts ?? []).map(normalizeHost));
  const resolve = options.lookup ?? systemLookup;

  const isAllowed = (host: string, address: string): boolean => {
    const kind = addressKind(address);
    if (kind === 'private') return options.allowPrivateNetwork || exempt.has(normalizeHost(host));
    return kind === 'public';
  };
  const check = (host: string, address: string): void => {
    if (!isAllowed(host, address)) throw forbiddenAddressError(host, addressKind(address) === 'metadata');
  };

  return {
    checkHost(host) {
      if (metadataNames.has(normalizeHost(host))) throw forbiddenAddressError(host, true);
      if (addressKind(host) !== null) check(host, host);
    },
    lookup(host, lookupOptions, callback) {
      // Always resolve all addresses: an allowed one may follow a forbidden one.
      resolve(host, { ...lookupOptions, all: true }, (error, found) => {
        if (error !== null) return callback(error, '');
        const addresses = typeof found === 'string' ? [] : found;
        const allowed = addresses.filter(({ address }) => isAllowed(host, address));
        const [first] = allowed;
        if (first === undefined) {
          const isMetadata = addresses.some(({ address }) => addressKind(address) === 'metadata');
          return callback(forbiddenAddressError(host, isMetadata), '');
        }
        if (lookupOptions.all === true) return callback(null, allowed);
        return callback(null, first.address, first.family);
      });
    },
    checkSocket(host, socket) {
      check(host, socket.remoteAddress ?? '');
    },
  };
}

function normalizeHost(host: string): string {
  return normalizedAddress(host) ?? host.toLowerCase().replace(/\.$/, '');
}

function forbiddenAddressError(host: string, isMetadata: boolean): VencError {
  const verb = addressKind(host) === null ? 'resolves to' : 'is';
  if (!isMetadata) {
    return new VencError('ForbiddenAddressError', `${host} ${verb} an address that is not public.`);
  }
  return new VencError(
    'ForbiddenAddressError',
    `${host} ${verb} the address of a cloud metadata service, which is never allowed.`,
    { hint: 'Use another address.' },
  );
}
