/** Gives a place in a lane back. Harmless when called again. */
export type Leave = () => void;

interface Waiter {
  readonly turn: number;
  readonly go: (leave: Leave) => void;
}

/**
 * Places for work of one kind, of which only so much goes on at once. Whoever finds none waits, and gets the next by the turn that
 * it has, the lowest first, not by when it came: a job whose download took long goes before those that were begun after it.
 */
export class Lane {
  #free: number;
  #waiting: readonly Waiter[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a place, to be left by what is given. Rejects at once with the signal's reason when that is aborted. */
  enter(turn: number, signal: AbortSignal): Promise<Leave> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) return Promise.resolve(this.#take());
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        turn,
        go(leave) {
          signal.removeEventListener('abort', giveUp);
          resolve(leave);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting = [...this.#waiting, waiter].sort((a, b) => a.turn - b.turn);
    });
  }

  #take(): Leave {
    this.#free -= 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#free += 1;
      this.#admit();
    };
  }

  #admit(): void {
    const [first, ...others] = this.#waiting;
    if (first === undefined) return;
    this.#waiting = others;
    first.go(this.#take());
  }
}
