import type { Client } from '../client/client.js';
import { follow } from '../client/follow.js';
import { createPace, type Pace, paceLimitsFor } from '../client/polling-schedule.js';
import { VencError } from '../shared/errors.js';
import { DetailsDesk } from './job-details.js';
import type { MountedScreen, ScreenListeners } from './mount.js';
import { isDone, openIds, reduceWatch, startWatch } from './watch-state.js';
import type { Order, WatchEvent, WatchedJob, WatchState } from './watch-types.js';

/** What a screen lives on. */
export interface LifeOptions {
  readonly client: Client;
  /** The jobs to watch; none: every job that is active, whenever it becomes so. */
  readonly ids: readonly number[];
  /** Draws the first state and says what happens at the screen from then on. */
  readonly mount: (first: WatchState, listeners: ScreenListeners) => MountedScreen;
  /** Leaves the screen as `q` does. */
  readonly signal?: AbortSignal | undefined;
  /** The pace of its questions, where the address is not to decide. */
  readonly pace?: Pace;
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
  /** All questions of the screen go by it: together they are no more than one asker's. */
  readonly #pace: Pace;
  readonly #details: DetailsDesk;
  #round = new AbortController();
  #hasHeard = false;

  /** Mounts the screen: its first frame is drawn before the service is asked anything. */
  constructor(options: LifeOptions) {
    this.#options = options;
    this.#pace = options.pace ?? createPace(paceLimitsFor(options.client.target.url));
    this.#details = new DetailsDesk(options.client, this.#pace, this.#end.signal);
    this.#state = startWatch(options.ids, Date.now());
    this.#settle = { leave: () => {}, fail: () => {} };
    this.#over = new Promise((leave, fail) => {
      this.#settle = { leave, fail };
    });
    this.#mounted = options.mount(this.#state, {
      onKeys: (keys) => {
        for (const key of keys) this.#take({ type: 'key', key });
      },
      onFault: (error) => this.#settle.fail(error),
    });
  }

  /** Resolves to the last state, the terminal given back. */
  async run(): Promise<WatchState> {
    const { signal, ids } = this.#options;
    let hasFailed = false;
    const quit = () => this.#take({ type: 'key', key: 'quit' });
    const ticks = setInterval(() => this.#take({ type: 'tick' }), tickMs);
    signal?.addEventListener('abort', quit);
    if (signal?.aborted) quit();
    try {
      this.#follow();
      this.#details.want(...ids);
      this.#attempt(async () => {
        for await (const job of this.#details.answers()) this.#take({ type: 'details', job });
      });
      await this.#over;
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      clearInterval(ticks);
      signal?.removeEventListener('abort', quit);
      this.#end.abort(new VencError('InterruptedError', 'The screen was left.'));
      // A frame that never knew anything only stands in the way of what went wrong.
      this.#mounted.close(hasFailed && !this.#hasHeard ? null : this.#state);
    }
    return this.#state;
  }

  #take(event: WatchEvent): void {
    const before = this.#state;
    this.#state = reduceWatch(before, event, Date.now());
    // A person who presses a key waits for what comes of it.
    this.#mounted.draw(this.#state, event.type === 'key');
    this.#askDetails(before);
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
      const { isLive } = this.#state;
      for await (const event of follow(this.#options.client, ids, {
        signal,
        isKnownReachable: this.#hasHeard,
        pace: this.#pace,
        prefers: () => openedJob(this.#state)?.id ?? null,
        ...(isLive ? { finds: 'always' } : {}),
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

  /** The sizes of files stand in a job's details alone: they are asked for when a file of the opened job has got on. */
  #askDetails(before: WatchState): void {
    const job = openedJob(this.#state);
    if (job === null || job.files.length === 0) return;
    const past = openedJob(before);
    if (past?.id !== job.id || stageOf(past) !== stageOf(job)) this.#details.want(job.id);
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

function openedJob({ jobs, selected, isOpen }: WatchState): WatchedJob | null {
  return (isOpen ? jobs[selected] : undefined) ?? null;
}

function stageOf({ files }: WatchedJob): string {
  return files.map(({ state, event }) => `${state} ${event}`).join();
}
