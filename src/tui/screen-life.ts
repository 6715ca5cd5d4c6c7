import { VencError } from '../api/errors.js';
import type { Client } from '../client/client.js';
import { follow } from '../client/follow.js';
import { askNames, listActive } from './ask-service.js';
import type { MountedScreen } from './mount.js';
import { isDone, openIds, reduceWatch, startWatch } from './watch-state.js';
import type { Order, WatchEvent, WatchKey, WatchState } from './watch-types.js';

/** What a screen lives on. */
export interface LifeOptions {
  readonly client: Client;
  /** The jobs to watch; none: every job that is active now. */
  readonly ids: readonly number[];
  /** Draws the first state and says which keys are pressed from then on. */
  readonly mount: (first: WatchState, onKeys: (keys: readonly WatchKey[]) => void) => MountedScreen;
  /** Leaves the screen as `q` does. */
  readonly signal?: AbortSignal | undefined;
}

const tickMs = 1000;

/** The life of one screen: takes events in, draws states, and carries out what the person orders. */
export class ScreenLife {
  readonly #options: LifeOptions;
  readonly #mounted: MountedScreen;
  readonly #end = new AbortController();
  /** Resolves or rejects when the screen is over. */
  readonly #over: Promise<void>;
  #settle: { readonly leave: () => void; readonly fail: (error: unknown) => void };
  #state: WatchState;
  #round = new AbortController();
  #hasHeard = false;

  /** Mounts the screen: its first frame is drawn before the service is asked anything. */
  constructor(options: LifeOptions) {
    this.#options = options;
    this.#state = startWatch(options.ids, Date.now());
    this.#settle = { leave: () => {}, fail: () => {} };
    this.#over = new Promise((leave, fail) => {
      this.#settle = { leave, fail };
    });
    this.#mounted = options.mount(this.#state, (keys) => {
      for (const key of keys) this.#take({ type: 'key', key });
    });
  }

  /** Resolves to the last state, the terminal given back. */
  async run(): Promise<WatchState> {
    const { signal, ids, client } = this.#options;
    const quit = () => this.#take({ type: 'key', key: 'quit' });
    const ticks = setInterval(() => this.#take({ type: 'tick' }), tickMs);
    signal?.addEventListener('abort', quit);
    if (signal?.aborted) quit();
    try {
      if (ids.length > 0) {
        this.#follow();
        this.#attempt(async () => {
          for await (const job of askNames(client, ids, this.#end.signal))
            this.#take({ type: 'details', job });
        });
      } else {
        this.#attempt(async () => {
          const jobs = await listActive(client, this.#end.signal);
          this.#hasHeard = true;
          this.#take({ type: 'listed', ids: jobs.map((job) => job.id) });
          for (const job of jobs) this.#take({ type: 'details', job });
          this.#follow();
        });
      }
      await this.#over;
    } catch (error) {
      // A frame that never knew anything only stands in the way of what went wrong.
      if (!this.#hasHeard) this.#mounted.clear();
      throw error;
    } finally {
      clearInterval(ticks);
      signal?.removeEventListener('abort', quit);
      this.#end.abort(new VencError('InterruptedError', 'The screen was left.'));
      this.#mounted.close();
    }
    return this.#state;
  }

  #take(event: WatchEvent): void {
    const before = this.#state;
    this.#state = reduceWatch(before, event, Date.now());
    this.#mounted.draw(this.#state);
    const { footer } = this.#state;
    if (footer.kind === 'sending' && footer !== before.footer) this.#carryOut(footer.order);
    if (isDone(this.#state)) this.#settle.leave();
  }

  /** Follows the jobs that are not over. An earlier round ends: an order was obeyed, and its effect is to be seen. */
  #follow(): void {
    this.#round.abort();
    const round = new AbortController();
    this.#round = round;
    const signal = AbortSignal.any([round.signal, this.#end.signal]);
    this.#attempt(async () => {
      const ids = openIds(this.#state);
      for await (const event of follow(this.#options.client, ids, {
        signal,
        isKnownReachable: this.#hasHeard,
      })) {
        if (signal.aborted) return;
        this.#hasHeard = true;
        this.#take(
          event.type === 'refused'
            ? {
                type: 'lost',
                id: event.id,
                loss: { message: event.error.message, exitCode: event.error.entry.exitCode },
              }
            : event,
        );
      }
    }, signal);
  }

  #carryOut(order: Order): void {
    const { client } = this.#options;
    this.#attempt(async () => {
      try {
        await client[order.verb](order.jobId, this.#end.signal);
      } catch (error) {
        if (!(error instanceof VencError)) throw error;
        this.#take({ type: 'refused', order, message: error.message });
        return;
      }
      this.#take({ type: 'obeyed', order });
      this.#follow();
    });
  }

  /** Does work beside the screen. What fails ends the screen, unless the work was to end anyway. */
  #attempt(work: () => Promise<void>, signal: AbortSignal = this.#end.signal): void {
    work().catch((error: unknown) => {
      if (!signal.aborted) this.#settle.fail(error);
    });
  }
}
