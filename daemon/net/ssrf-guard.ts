import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { VencError } from '../../src/shared/errors.js';
import { addressKind, normalizedAddress } from './addresses.js';

/** What a guard is told when it is made. */
export interface SsrfGuardOptions {
  /** Whether addresses that are not public may be connected to. Metadata addresses never may. */
  readonly allowPrivateNetwork: boolean;
  /** Hosts that the daemon's own configuration names, as names or addresses: they may be private. */
  readonly exemptHosts?: readonly string[];
  /** How names become addresses; the system's way where it is not given. */
  readonly lookup?: LookupFunction;
}

/**
 * Decides which addresses may be connected to (contract, section 9). A connection is safe when all three were used: `checkHost`
 * before, `lookup` for the name, `checkSocket` after. The first alone says nothing about names, and the second is not asked about
 * literals. Each fails with `ForbiddenAddressError`.
 */
export interface SsrfGuard {
  /** Checks a host as a URL has it: a literal in any spelling, or a name that is known to lead to metadata. */
  checkHost(host: string): void;
  /** Resolves a name for `net.connect` and `tls.connect`, leaving out what may not be connected to. */
  readonly lookup: LookupFunction;
  /** Checks what a socket that was opened to a host is connected to. */
  checkSocket(host: string, socket: Pick<Socket, 'remoteAddress'>): void;
}

const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Makes a guard. */
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
      // All addresses are asked for in any case, so that one that may be connected to is found behind one that may not.
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
  if (!isMetadata) {
    return new VencError('ForbiddenAddressError', `${host} leads to an address that is not public.`);
  }
  return new VencError(
    'ForbiddenAddressError',
    `${host} leads to the metadata service of a cloud, which is refused in any case.`,
    {
      hint: 'Use another address.',
    },
  );
}
