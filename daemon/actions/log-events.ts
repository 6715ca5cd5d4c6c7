import type { LogRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { type LogLevel, logLevels } from '../../src/shared/util/log.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { JobStore } from '../store/job-store.js';
import type { LogName, LogStore } from '../store/log-store.js';
import { EventHub, type Feed, type StreamEvent, Topic } from './event-hub.js';

/** Which lines of a log to read. */
export interface LogQuery {
  /** Lines of this level and of more severe ones. */
  readonly level: LogLevel;
  /** The number of lines, counted from the end; null for all. */
  readonly tail: number | null;
}

/** A new line of a log. */
interface LogEvent extends StreamEvent {
  readonly line: LogRecord;
}

/** The dependencies and intervals of `LogEvents`. */
interface LogEventsOptions {
  readonly logs: Pick<LogStore, 'read' | 'watch'>;
  readonly store: Pick<JobStore, 'get' | 'watch'>;
  readonly queue: Pick<JobQueue, 'isRunning'>;
  /** Interval between two heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
}

/**
 * How often a job that is final is checked for the end of its run, in milliseconds. Its last lines are written until
 * then.
 */
const endCheckMs = 50;

/** Event streams of logs. New lines are pushed; no file is read after the subscription. */
export class LogEvents {
  readonly #options: LogEventsOptions;
  readonly #hub: EventHub<LogName, LogEvent>;
  readonly #unwatch: readonly (() => void)[];

  constructor(options: LogEventsOptions) {
    this.#options = options;
    this.#hub = new EventHub(() => new Topic(), options.heartbeatMs);
    this.#unwatch = [
      options.logs.watch((name, line) => this.#hub.get(name)?.publish(eventOf(line))),
      options.store.watch(({ id, state }) => {
        if (isFinal(state) && this.#hub.get(id) !== undefined) this.#endAfterRun(id);
      }),
    ];
  }

  /**
   * Subscribes to a log: first the lines that `query` selects or, after a broken stream, those after `lastEventId`;
   * then new ones, until the job is final. Resolves to null if no line will follow. Rejects with `UnavailableError`
   * after `close`. The caller must cancel the feed or read it to its end.
   */
  async subscribe(
    name: LogName,
    query: LogQuery,
    lastEventId: string | null,
  ): Promise<Feed<LogEvent> | null> {
    const accepts = ({ line }: LogEvent) => isAtLeast(line, query.level);
    const feed = await this.#hub.subscribe(name, { accepts }, async (begun) => {
      const isOver = name !== 'daemon' && (await this.#isFinal(name)) && !this.#options.queue.isRunning(name);
      begun.replay(selectLines(await this.#options.logs.read(name), query, lastEventId).map(eventOf));
      if (isOver) begun.end();
      else if (name !== 'daemon' && (await this.#isFinal(name))) this.#endAfterRun(name);
    });
    return feed.isDone ? null : feed;
  }

  /** Ends every feed. Later subscriptions are rejected. */
  close(): void {
    for (const stop of this.#unwatch) stop();
    this.#hub.close();
  }

  async #isFinal(id: number): Promise<boolean> {
    const job = await this.#options.store.get(id).catch(() => null);
    return job === null || isFinal(job.state);
  }

  /** Ends the feeds of a final job when its run has ended, unless it was resubmitted meanwhile. */
  #endAfterRun(id: number): void {
    const check = async () => {
      if (this.#hub.get(id) === undefined) return;
      if (this.#options.queue.isRunning(id)) this.#endAfterRun(id);
      else if (await this.#isFinal(id)) for (const feed of this.#hub.get(id)?.feeds ?? []) feed.end();
    };
    setTimeout(() => void check(), endCheckMs).unref();
  }
}

function eventOf(line: LogRecord): LogEvent {
  return {
    id: line.id,
    line,
    get json() {
      return JSON.stringify(line);
    },
  };
}

/** Whether a line is of this level or a more severe one. */
function isAtLeast(line: Pick<LogRecord, 'level'>, level: LogLevel): boolean {
  return logLevels.indexOf(line.level) >= logLevels.indexOf(level);
}

/**
 * The lines that a query selects. With `lastEventId`, all that follow that line; if it is no longer there, those with a
 * greater id.
 */
export function selectLines(
  lines: readonly LogRecord[],
  { level, tail }: LogQuery,
  lastEventId: string | null,
): readonly LogRecord[] {
  const isSevere = (line: LogRecord) => isAtLeast(line, level);
  if (lastEventId === null) {
    const selected = lines.filter(isSevere);
    return tail === null ? selected : selected.slice(Math.max(0, selected.length - tail));
  }
  const index = lines.findLastIndex(({ id }) => id === lastEventId);
  const following =
    index < 0 ? lines.filter(({ id }) => Number(id) > Number(lastEventId)) : lines.slice(index + 1);
  return following.filter(isSevere);
}
