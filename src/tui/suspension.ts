/** What has to be done around a stop. */
export interface SuspensionHandlers {
  /** Gives the terminal back to the shell. */
  readonly release: () => void;
  /** Takes the terminal again, whatever was done to it meanwhile, and draws all again. */
  readonly reacquire: () => void;
}

/** Stops the program for a while, as Ctrl-Z does. */
export interface Suspension {
  /** Stops it, and what was started with it. Returns when it goes on; at once where nobody is there who could make it go on. */
  suspend(): void;
  /** Leaves signals alone again. */
  dispose(): void;
}

/**
 * Stops in good order, by `suspend` or by SIGTSTP, and comes back in good order, even from a SIGSTOP, which nobody can prepare for. The
 * stop itself is the default action of SIGTSTP: a program without a shell that could wake it is not stopped by that.
 */
export function openSuspension({ release, reacquire }: SuspensionHandlers): Suspension {
  const stop = (pid: number): void => {
    release();
    dispose();
    process.kill(pid, 'SIGTSTP');
    listen();
    reacquire();
  };
  const onStop = (): void => stop(process.pid);
  const listen = (): void => {
    process.on('SIGTSTP', onStop);
    process.on('SIGCONT', reacquire);
  };
  const dispose = (): void => {
    process.off('SIGTSTP', onStop);
    process.off('SIGCONT', reacquire);
  };
  listen();
  // The terminal stops the whole group: who has started this program waits with it, and the shell sees that all of it has stopped.
  return { suspend: () => stop(0), dispose };
}
