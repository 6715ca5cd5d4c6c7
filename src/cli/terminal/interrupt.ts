import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { maxTimerMs } from '../../shared/util/timing.js';
import type { Io } from './io.js';

/** An interruption of a command by the user or a timeout. */
export interface Interruption {
  /** Its reason is an `InterruptedError` or a `TimedOutError`. */
  readonly signal: AbortSignal;
  /** Stops listening, which restores the default action of the signals. */
  dispose(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for Ctrl-C and an optional timeout. The first Ctrl-C aborts the signal, so that the command can clean up; the
 * second exits immediately.
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
          Math.min(timeoutSeconds * 1000, maxTimerMs),
        );
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of signals) process.off(name, interrupt);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
