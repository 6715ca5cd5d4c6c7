import { VencError } from '../../src/shared/errors.js';
import type { AppContext } from './app-context.js';

/** Seconds after which a client may retry while no jobs are accepted. */
const retryAfterSeconds = 30;

/** Rejects with `UnavailableError` (503) and the reasons while no job can be accepted. */
export async function requireHealthy(appContext: Pick<AppContext, 'checkHealth'>): Promise<void> {
  const healthProblems = await appContext.checkHealth();
  if (healthProblems.length === 0) return;
  throw new VencError('UnavailableError', healthProblems.join(' '), {
    messages: healthProblems,
    retryAfterSeconds,
  });
}
