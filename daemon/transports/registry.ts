import { VencError } from '../../src/shared/errors.js';
import { redact } from '../../src/shared/redact.js';
import type { StoredCleanupJournal } from '../transfer/cleanup-journal.js';
import type { Transport } from './transport.js';

/** Transports by scheme. */
export type TransportRegistry = ReadonlyMap<string, Transport>;

/** Registers transports under all of their schemes; two for one scheme is a mistake of the program. */
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

/** The scheme of a URL in lower case, without the colon; null where the text has none. */
export function schemeOf(url: string): string | null {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? null;
}

/** The transport for a URL. Throws `InvalidRequestError` where its scheme is not known. */
export function transportFor(registry: TransportRegistry, url: string): Transport {
  const transport = registry.get(schemeOf(url) ?? '');
  if (transport === undefined) {
    throw new VencError('InvalidRequestError', `${redact(url)} has a scheme that this daemon does not know.`);
  }
  return transport;
}

/**
 * Takes away what an earlier daemon left unfinished at servers. What can't be reached now is left for the next start. Gives back how
 * many were taken away.
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
      warn(`What an earlier run left at ${orphan.url} could not be taken away yet: ${String(error)}`);
    }
  }
  return removedCount;
}
