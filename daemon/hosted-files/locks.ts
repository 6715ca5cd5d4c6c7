/** Lets one thing at a time happen to each token. */
export interface Locks {
  /** Does something once all that was begun before under this token has ended. */
  run<T>(token: string, work: () => Promise<T>): Promise<T>;
  /** Whether something is going on, or waits, under this token. */
  isHeld(token: string): boolean;
}

/** Locks of one process: a data folder never has a second one. */
export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(token, work) {
      const before = tails.get(token) ?? Promise.resolve();
      const done = before.then(work, work);
      tails.set(token, done);
      const release = () => {
        if (tails.get(token) === done) tails.delete(token);
      };
      done.then(release, release);
      return done;
    },
    isHeld: (token) => tails.has(token),
  };
}
