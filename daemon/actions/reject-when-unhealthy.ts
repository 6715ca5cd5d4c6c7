import { VencError } from '../../src/shared/errors.js';
import type { Workshop } from './app-context.js';

/** Seconds after which a client may try again when no jobs are taken. */
const retryAfterSeconds = 30;

/** Rejects with `UnavailableError` (503) and the reasons while no job can be taken. */
export async function refuseWhenTroubled(workshop: Workshop): Promise<void> {
  const troubles = await workshop.troubles();
  if (troubles.length === 0) return;
  throw new VencError('UnavailableError', troubles.join(' '), { complaints: troubles, retryAfterSeconds });
}
