import type { StoredCleanupJournal } from '../transfer/stored-cleanup-journal.js';
import { schemeOf, type TransportRegistry } from './registry.js';

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
