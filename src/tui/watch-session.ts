import type { Client } from '../client/client.js';
import { follow } from '../client/follow.js';
import { createPollingSchedule, type PollingSchedule, pollingLimitsFor } from '../client/polling-schedule.js';
import { VencError } from '../shared/errors.js';
import { DetailsFetcher } from './details-fetcher.js';
import type { MountedScreen, ScreenListeners } from './mount.js';
import { isDone, reduceWatch, startWatch, unfinishedIds } from './watch-state.js';
import type { Command, WatchEvent, WatchedJob, WatchState } from './watch-types.js';

/** What a screen lives on. */
export interface WatchSessionOptions {
  readonly client: Client;
  /** The jobs to watch; none: every job that is active, whenever it becomes so. */
  readonly ids: readonly number[];
  /** Draws the first state and says what happens at the screen from then on. */
  readonly mount: (first: WatchState, listeners: ScreenListeners) => MountedScreen;
  /** Leaves the screen as `q` does. */
  readonly signal?: AbortSignal | undefined;
  /** The pace of its questions, where the address is not to decide. */
  readonly schedule?: PollingSchedule;
}

const tickMs = 1000;

/** The life of one screen: takes events in, draws states, and carries out what the person orders. */
export class WatchSession {
  readonly #options: WatchSessionOptions;
  readonly #mounted: MountedScreen;
  readonly #end = new AbortController();
  /** Resolves or rejects when the screen is over. */
  readonly #finished: Promise<void>;
  #settle: { readonly finish: () => void; readonly fail: (error: unknown) => void };
  #state: WatchState;
  /** All questions of the screen go by it: together they are no more than one asker's. */
  readonly #pace: PollingSchedule;
  readonly #details: DetailsFetcher;
  #followController = new AbortController();
  #hasReceived = false;

  /** Mounts the screen: its first frame is drawn before the service is asked anything. */
  constructor(options: WatchSessionOptions) {
    this.#options = options;
    this.#pace = options.schedule ?? createPollingSchedule(pollingLimitsFor(options.client.target.url));
    this.#details = new DetailsFetcher(options.client, this.#pace, this.#end.signal);
    this.#state = startWatch(options.ids, Date.now());
    this.#settle = { finish: () => {}, fail: () => {} };
    this.#finished = new Promise((finish, fail) => {
      this.#settle = { finish, fail };
    });
    this.#mounted = options.mount(this.#state, {
      onKeys: (keys) => {
        for (const key of keys) this.#dispatch({ type: 'key', key });
      },
      onError: (error) => this.#settle.fail(error),
    });
  }

  /** Resolves to the last state, the terminal given back. */
  async run(): Promise<WatchState> {
    const { signal, ids } = this.#options;
    let hasFailed = false;
    const quit = () => this.#dispatch({ type: 'key', key: 'quit' });
    const ticks = setInterval(() => this.#dispatch({ type: 'tick' }), tickMs);
    signal?.addEventListener('abort', quit);
    if (signal?.aborted) quit();
    try {
      this.#follow();
      this.#details.request(...ids);
      this.#runTask(async () => {
        for await (const job of this.#details.results()) this.#dispatch({ type: 'details', job });
      });
      await this.#finished;
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      clearInterval(ticks);
      signal?.removeEventListener('abort', quit);
      this.#end.abort(new VencError('InterruptedError', 'The screen was left.'));
      // A frame that never knew anything only stands in the way of what went wrong.
      this.#mounted.close(hasFailed && !this.#hasReceived ? null : this.#state);
    }
    return this.#state;
  }

  #dispatch(event: WatchEvent): void {
    const before = this.#state;
    this.#state = reduceWatch(before, event, Date.now());
    // A person who presses a key waits for what comes of it.
    this.#mounted.draw(this.#state, event.type === 'key');
    this.#askDetails(before);
    const { footer } = this.#state;
    if (footer.kind === 'sending' && footer !== before.footer) this.#sendCommand(footer.command);
    if (isDone(this.#state)) this.#settle.finish();
  }

  /** Follows the jobs that are not over. An earlier round ends: an order was obeyed, and its effect is to be seen. */
  #follow(): void {
    this.#followController.abort();
    const controller = new AbortController();
    this.#followController = controller;
    const signal = AbortSignal.any([controller.signal, this.#end.signal]);
    this.#runTask(async () => {
      const ids = unfinishedIds(this.#state);
      const { watchesAllActive } = this.#state;
      for await (const event of follow(this.#options.client, ids, {
        signal,
        isKnownReachable: this.#hasReceived,
        schedule: this.#pace,
        getPreferredId: () => openedJob(this.#state)?.id ?? null,
        ...(watchesAllActive ? { discovery: 'always' } : {}),
      })) {
        if (signal.aborted) return;
        this.#hasReceived = true;
        this.#dispatch(
          event.type === 'refused'
            ? {
                type: 'lost',
                id: event.id,
                unavailable: { message: event.error.message, exitCode: event.error.entry.exitCode },
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
    const previous = openedJob(before);
    if (previous?.id !== job.id || progressKey(previous) !== progressKey(job)) this.#details.request(job.id);
  }

  #sendCommand(command: Command): void {
    const { client } = this.#options;
    this.#runTask(async () => {
      try {
        await client[command.verb](command.jobId, this.#end.signal);
      } catch (error) {
        if (!(error instanceof VencError)) throw error;
        this.#dispatch({ type: 'refused', command, message: error.message });
        return;
      }
      this.#dispatch({ type: 'obeyed', command });
      this.#follow();
    });
  }

  /** Does work beside the screen. What fails ends the screen, unless the work was to end anyway. */
  #runTask(task: () => Promise<void>, signal: AbortSignal = this.#end.signal): void {
    task().catch((error: unknown) => {
      if (!signal.aborted) this.#settle.fail(error);
    });
  }
}

function openedJob({ jobs, selected, isOpen }: WatchState): WatchedJob | null {
  return (isOpen ? jobs[selected] : undefined) ?? null;
}

function progressKey({ files }: WatchedJob): string {
  return files.map(({ state, event }) => `${state} ${event}`).join();
}
