import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Io } from './io.js';

/** The end that a person or a timeout sets to a command. */
export interface Interruption {
  /** Its reason is an `InterruptedError` or a `TimedOutError`. */
  readonly signal: AbortSignal;
  /** Stops listening: the keys do again what they did before. */
  dispose(): void;
}

/** Timers cannot wait longer, about 24 days. */
const longestTimeoutMs = 2 ** 31 - 1;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for Ctrl-C, and for a timeout where one is given. The first Ctrl-C aborts the signal, for the command to end
 * in good order; the second leaves at once.
 */
export function listenForInterrupt(io: Io, timeoutSeconds: number | null = null): Interruption {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) io.exit(exitCodes.interrupted);
    controller.abort(new VencError('InterruptedError', 'Interrupted.'));
  };
  for (const name of signals) process.on(name, interrupt);
  const timer =
    timeoutSeconds === null
      ? null
      : setTimeout(
          () =>
            controller.abort(
              new VencError('TimedOutError', `Timed out after ${timeoutSeconds} s (--timeout).`),
            ),
          Math.min(timeoutSeconds * 1000, longestTimeoutMs),
        );
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of signals) process.off(name, interrupt);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
