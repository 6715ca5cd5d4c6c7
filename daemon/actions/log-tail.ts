import type { LogRecord } from '../../src/shared/records.js';
import type { LogStore } from '../store/log-store.js';
import { type LogEvents, selectLines } from './log-events.js';

/** The dependencies of a `LogTail`. */
interface LogTailOptions {
  readonly logs: Pick<LogStore, 'read'>;
  readonly logEvents: Pick<LogEvents, 'subscribe'>;
}

/** Lines that a new client gets. */
const firstLines = 1000;

/** The log of a job, for one subscriber. */
export class LogTail {
  readonly #options: LogTailOptions;
  readonly #push: (lines: readonly LogRecord[]) => void;
  #lineId: string | null = null;
  #isFollowing = false;
  #stop: () => void = () => {};
  #isStopped = false;

  constructor(
    options: LogTailOptions,
    readonly jobId: number,
    push: (lines: readonly LogRecord[]) => void,
  ) {
    this.#options = options;
    this.#push = push;
  }

  /** Pushes the lines after one, or the last ones, and follows the log. */
  async begin(after: string | null): Promise<void> {
    const tail = after === null ? firstLines : null;
    const known = await this.#options.logs.read(this.jobId);
    const lines = selectLines(known, { level: 'info', tail }, after).slice(0, firstLines);
    this.#lineId = lines.at(-1)?.id ?? after;
    if (lines.length > 0) this.#push(lines);
    this.follow();
  }

  /** Follows the log until the run of its job has ended. A no-op if it does already. */
  follow(): void {
    if (this.#isFollowing || this.#isStopped) return;
    this.#isFollowing = true;
    this.#follow()
      // The daemon stops.
      .catch(() => undefined)
      .finally(() => {
        this.#isFollowing = false;
      });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
  }

  async #follow(): Promise<void> {
    const query = { level: 'info', tail: null } as const;
    const feed = await this.#options.logEvents.subscribe(this.jobId, query, this.#lineId);
    if (feed === null) return;
    this.#stop = () => feed.cancel();
    if (this.#isStopped) feed.cancel();
    for (let item = await feed.next(); item !== null; item = await feed.next()) {
      if (item === 'heartbeat') continue;
      this.#lineId = item.id;
      this.#push([item.line]);
    }
  }
}
