/** Callbacks around a suspension. */
export interface SuspensionHandlers {
  /** Called before the process stops: restores the terminal for the shell, for example. */
  readonly release: () => void;
  /** Called when it continues: sets the terminal up again, because another program may have changed it. */
  readonly reacquire: () => void;
}

/** Suspends the program, as Ctrl-Z does. */
export interface Suspension {
  /** Stops the process group. Returns when it is continued; returns immediately if no shell could continue it. */
  suspend(): void;
  /** Removes the signal handlers. */
  dispose(): void;
}

/**
 * Handles `suspend`, SIGTSTP, and the SIGCONT after a SIGSTOP, which cannot be caught. The stop itself is the default
 * action of SIGTSTP, which the kernel ignores for a process group without a shell to continue it.
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
  // Stop the whole process group, as the terminal does, so that the parent process waits and the shell sees that all of
  // it has stopped.
  return { suspend: () => stop(0), dispose };
}
