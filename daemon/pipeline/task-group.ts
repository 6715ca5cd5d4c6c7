import type { Run } from '../jobs/run.js';

/** Has something go on beside the rest of a run. */
export type Begin = (act: (run: Run) => Promise<void>) => void;

/**
 * Works on, and lets what is begun meanwhile go on beside it; resolves when all of it has ended. The first that throws stops the others,
 * which get a run whose signal says so, and is thrown on when they have let go.
 */
export async function alongside(run: Run, work: (run: Run, begin: Begin) => Promise<void>): Promise<void> {
  const failing = new AbortController();
  const own: Run = { ...run, signal: AbortSignal.any([run.signal, failing.signal]) };
  const guarded = (act: Promise<void>) => act.catch((error: unknown) => failing.abort(error));
  const begun: Promise<void>[] = [];
  await guarded(work(own, (act) => begun.push(guarded(act(own)))));
  await Promise.all(begun);
  failing.signal.throwIfAborted();
}
