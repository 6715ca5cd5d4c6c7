import type { Client } from '../client/client.js';
import { follow } from '../client/follow.js';
import { createPollingSchedule, type PollingSchedule, pollingLimitsFor } from '../client/polling-schedule.js';
import { isVencError, VencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';
import type { MountedScreen, ScreenListeners } from './mount.js';
import { selectedJob } from './shown-jobs.js';
import { isDone, reduceWatch, startWatch, unfinishedIds } from './watch-state.js';
import type { Command, WatchEvent, WatchedJob, WatchState } from './watch-types.js';

/** Options of a session. */
interface WatchSessionOptions {
  readonly client: Client;
  /** The jobs to watch; if empty, all active jobs. */
  readonly ids: readonly number[];
  /** Draws the first state and reports keys and errors from then on. */
  readonly mount: (first: WatchState, listeners: ScreenListeners) => MountedScreen;
  /** Leaves the screen, like `q`. */
  readonly signal?: AbortSignal | undefined;
  /** The polling schedule; by default it depends on the URL of the service. */
  readonly schedule?: PollingSchedule;
}

const tickMs = 1000;

/** Runs one screen: processes events, draws states and sends commands. */
export class WatchSession {
  readonly #options: WatchSessionOptions;
  readonly #mounted: MountedScreen;
  readonly #end = new AbortController();
  /** Resolves or rejects when the screen ends. */
  readonly #finished: Promise<void>;
  #settle: { readonly finish: () => void; readonly fail: (error: unknown) => void };
  #state: WatchState;
  /** Shared by all requests of the screen, so that together they stay within the limits of one client. */
  readonly #schedule: PollingSchedule;
  readonly #details: DetailsFetcher;
  #followController = new AbortController();
  #hasReceived = false;

  /** Mounts the screen. The first frame is drawn before the first request to the service. */
  constructor(options: WatchSessionOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? createPollingSchedule(pollingLimitsFor(options.client.target.url));
    this.#details = new DetailsFetcher(options.client, this.#schedule, this.#end.signal);
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

  /** Resolves to the last state after the terminal is restored. */
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
      // A frame without data would only obscure the error.
      this.#mounted.close(hasFailed && !this.#hasReceived ? null : this.#state);
    }
    return this.#state;
  }

  #dispatch(event: WatchEvent): void {
    const before = this.#state;
    this.#state = reduceWatch(before, event, Date.now());
    // Draw the result of a key immediately.
    this.#mounted.draw(this.#state, event.type === 'key');
    this.#requestDetails(before);
    const { footer } = this.#state;
    if (footer.kind === 'sending' && footer !== before.footer) this.#sendCommand(footer.command);
    if (isDone(this.#state)) this.#settle.finish();
  }

  /** Follows the unfinished jobs. Ends an earlier round, so that the effect of a command is seen at once. */
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
        schedule: this.#schedule,
        getPreferredId: () => openedJob(this.#state)?.id ?? null,
        ...(watchesAllActive ? { discovery: 'always' } : {}),
      })) {
        if (signal.aborted) return;
        this.#hasReceived = true;
        this.#dispatch(
          event.type === 'rejected'
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

  /** Requests the details of the open job when one of its files has advanced: only the details contain file sizes. */
  #requestDetails(before: WatchState): void {
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
        this.#dispatch({ type: 'rejected', command, message: error.message });
        return;
      }
      this.#dispatch({ type: 'accepted', command });
      this.#follow();
    });
  }

  /** Runs a task concurrently with the screen. An error ends the screen, unless the task was aborted. */
  #runTask(task: () => Promise<void>, signal: AbortSignal = this.#end.signal): void {
    task().catch((error: unknown) => {
      if (!signal.aborted) this.#settle.fail(error);
    });
  }
}

function openedJob(state: WatchState): WatchedJob | null {
  return (state.isOpen ? selectedJob(state) : undefined) ?? null;
}

function progressKey({ files }: WatchedJob): string {
  return files.map(({ state, event }) => `${state} ${event}`).join();
}

/**
 * Requests the details of jobs, one after the other, within the limits of the polling schedule. The details only add
 * names and sizes to the screen, so jobs whose details are not available are skipped.
 */
class DetailsFetcher {
  readonly #client: Client;
  readonly #schedule: PollingSchedule;
  readonly #signal: AbortSignal;
  readonly #requestedIds = new Set<number>();
  #wake: () => void = () => {};

  constructor(client: Client, schedule: PollingSchedule, signal: AbortSignal) {
    this.#client = client;
    this.#schedule = schedule;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake());
  }

  /** Queues requests for the details of jobs, without duplicates. */
  request(...ids: readonly number[]): void {
    for (const id of ids) this.#requestedIds.add(id);
    this.#wake();
  }

  /** Yields the responses until the signal aborts. */
  async *results(): AsyncGenerator<JobRecord, void, undefined> {
    while (!this.#signal.aborted) {
      const [id] = this.#requestedIds;
      if (id === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#schedule.waitForSlot(this.#signal);
      this.#requestedIds.delete(id);
      try {
        yield await this.#client.job(id, this.#signal);
      } catch (error) {
        if (this.#signal.aborted || !isVencError(error)) throw error;
      }
    }
  }
}
