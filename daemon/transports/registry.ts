import { VencError } from '../../src/shared/errors.js';
import { redact } from '../../src/shared/redact.js';
import type { StoredCleanupJournal } from '../transfer/cleanup-journal.js';
import type { Transfer } from '../transfer/transfer.js';
import type { Transport } from './transport.js';

/** Transports by scheme. */
export type TransportRegistry = ReadonlyMap<string, Transport>;

/** Registers transports by scheme. Throws `TypeError` if two have the same scheme. */
export function registerTransports(transports: readonly Transport[]): TransportRegistry {
  const registry = new Map<string, Transport>();
  for (const transport of transports) {
    for (const scheme of transport.schemes) {
      if (registry.has(scheme)) throw new TypeError(`two transports for ${scheme}:`);
      registry.set(scheme, transport);
    }
  }
  return registry;
}

/** What replaces methods of a transport: each gets the method that it replaces. */
type Wraps = { readonly [Name in MethodName]?: (method: Method<Name>) => Method<Name> };
type MethodName = Exclude<keyof Transport, 'schemes'>;
type Method<Name extends MethodName> = NonNullable<Transport[Name]>;

/** The transport with the methods that it has, wrapped where there is a wrap. */
export function wrapTransport(transport: Transport, wraps: Wraps): Transport {
  const wrapped = <Name extends MethodName>(name: Name): object | null => {
    const method = transport[name]?.bind(transport) as Method<Name> | undefined;
    return method === undefined ? null : { [name]: wraps[name]?.(method) ?? method };
  };
  return Object.assign({ schemes: transport.schemes }, ...methodNames.map(wrapped));
}

const methodNames: readonly MethodName[] = [
  'checkInput',
  'checkOutput',
  'download',
  'upload',
  'remove',
  'sizeOf',
  'open',
  'openHere',
  'removeOrphan',
];

/**
 * The scheme of a URL in lower case, without the colon, and without the region of `s3+eu-west-1:` and `cf+uk:`; null if
 * the text has none. `aspera:` is another name of `fasp:`.
 */
export function schemeOf(url: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? null;
  if (scheme === 'aspera') return 'fasp';
  return scheme?.replace(/^(s3|cf)\+[a-z0-9-]+$/, '$1') ?? null;
}

/** The transport for a URL. Throws `InvalidRequestError` if its scheme is unknown. */
export function transportFor(registry: TransportRegistry, url: string): Transport {
  const transport = registry.get(schemeOf(url) ?? '');
  if (transport === undefined) {
    throw new VencError(
      'InvalidRequestError',
      `${redact(url)} has a scheme that this daemon does not support.`,
    );
  }
  return transport;
}

/**
 * Removes the orphans that an earlier daemon left on servers. Orphans that cannot be removed now stay in the journal
 * for the next start. Resolves to the number of removed orphans.
 */
export async function removeOrphans(
  journal: StoredCleanupJournal,
  registry: TransportRegistry,
  warn: (message: string) => void,
): Promise<number> {
  let removedCount = 0;
  for (const { orphan, removeEntry } of await journal.entries()) {
    const transport = registry.get(schemeOf(orphan.url) ?? '');
    try {
      await transport?.removeOrphan?.(orphan);
      await removeEntry();
      removedCount += 1;
    } catch (error) {
      warn(`Could not remove the unfinished upload of an earlier run at ${orphan.url} yet: ${String(error)}`);
    }
  }
  return removedCount;
}

/** Receives the bytes that a transfer has moved since the last call. */
type OnTransferredBytes = (direction: 'download' | 'upload', scheme: string, bytes: number) => void;

/** The same transports, which report the bytes that they transfer, those of transfers that fail included. */
export function observeTransports(
  registry: TransportRegistry,
  onBytes: OnTransferredBytes,
): TransportRegistry {
  const observe = (scheme: string, transport: Transport) =>
    wrapTransport(transport, {
      download: (download) => (from, toPath, transfer) =>
        counted(
          transfer,
          (bytes) => onBytes('download', scheme, bytes),
          (one) => download(from, toPath, one),
        ),
      upload: (upload) => (fromPath, to, transfer) =>
        counted(
          transfer,
          (bytes) => onBytes('upload', scheme, bytes),
          (one) => upload(fromPath, to, one),
        ),
    });
  return new Map([...registry].map(([scheme, transport]) => [scheme, observe(scheme, transport)]));
}

/** Counts the bytes of a transfer from its progress, and the rest from its result. */
async function counted<T extends { readonly sizeBytes: number }>(
  transfer: Transfer,
  onBytes: (bytes: number) => void,
  start: (transfer: Transfer) => Promise<T>,
): Promise<T> {
  let countedBytes = 0;
  const count = (doneBytes: number) => {
    if (doneBytes <= countedBytes) return;
    onBytes(doneBytes - countedBytes);
    countedBytes = doneBytes;
  };
  const result = await start({
    ...transfer,
    onProgress: (doneBytes, totalBytes) => {
      count(doneBytes);
      transfer.onProgress(doneBytes, totalBytes);
    },
  });
  count(result.sizeBytes);
  return result;
}
