import type { Run, RunHandler } from '../../daemon/jobs/run.js';
import { finishAll } from './sample-job.js';

/** A run that waits on the stage until a test says how it goes on. */
export interface Scene {
  readonly run: Run;
  /** Lets the handler do this and settle as it settles. Resolves when it did, whichever way. */
  end(how?: (run: Run) => Promise<unknown>): Promise<void>;
}

/**
 * A handler for tests: each run enters, waits, and ends when the test says so, or when its signal is aborted. Keeps
 * a record of who entered and left, in order.
 */
export class Stage {
  readonly #entered: Scene[] = [];
  readonly #waiting: ((scene: Scene) => void)[] = [];
  readonly #onStage = new Set<number>();
  /** `+ID` for a run that began, `-ID` for one that ended. */
  readonly record: string[] = [];
  /** The most runs that were ever seen at once. */
  mostAtOnce = 0;

  /** Waits for the next run that begins, in the order in which they begin. */
  next(): Promise<Scene> {
    const scene = this.#entered.shift();
    if (scene !== undefined) return Promise.resolve(scene);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The handler to give to a queue. */
  readonly handler: RunHandler = async (run) => {
    this.record.push(`+${run.job.id}`);
    this.#onStage.add(run.job.id);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#onStage.size);
    try {
      await this.#perform(run);
    } finally {
      this.#onStage.delete(run.job.id);
      this.record.push(`-${run.job.id}`);
    }
  };

  #perform(run: Run): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const stopped = () => reject(run.signal.reason);
      run.signal.addEventListener('abort', stopped);
      this.#enter({
        run,
        end: async (how = finishAll) => {
          run.signal.removeEventListener('abort', stopped);
          const ending = how(run).then(() => {});
          ending.then(resolve, reject);
          await ending.catch(() => {});
        },
      });
    });
  }

  #enter(scene: Scene): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#entered.push(scene);
    else waiting(scene);
  }
}
