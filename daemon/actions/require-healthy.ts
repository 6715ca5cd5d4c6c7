import { VencError } from '../../src/shared/errors.js';
import type { AppContext } from './app-context.js';

/** Seconds after which a client may try again when no jobs are taken. */
const retryAfterSeconds = 30;

/** Rejects with `UnavailableError` (503) and the reasons while no job can be taken. */
export async function requireHealthy(appContext: AppContext): Promise<void> {
  const healthProblems = await appContext.checkHealth();
  if (healthProblems.length === 0) return;
  throw new VencError('UnavailableError', healthProblems.join(' '), {
    messages: healthProblems,
    retryAfterSeconds,
  });
}
