import type { LeftoverFolder } from '../transfer/cleanup-journal.js';
import { schemeOf, type TransportRegistry } from './registry.js';

/**
 * Takes away what an earlier daemon left unfinished at servers. What can't be reached now is left for the next start. Gives back how
 * many were taken away.
 */
export async function sweepLeftovers(
  book: LeftoverFolder,
  registry: TransportRegistry,
  tell: (message: string) => void,
): Promise<number> {
  let swept = 0;
  for (const { leftover, tearUp } of await book.notes()) {
    const transport = registry.get(schemeOf(leftover.url) ?? '');
    try {
      await transport?.sweep?.(leftover);
      await tearUp();
      swept += 1;
    } catch (error) {
      tell(`What an earlier run left at ${leftover.url} could not be taken away yet: ${String(error)}`);
    }
  }
  return swept;
}
