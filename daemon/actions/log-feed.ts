import type { LogRecord } from '../../src/shared/records.js';
import { type LogLevel, logLevels } from '../../src/shared/util/log.js';

/** A line of a log for an event stream. */
interface LogEvent {
  readonly id: string;
  /** The line as JSON on one line. */
  readonly json: string;
}

/** Lines that wait for a slow reader; with more, the feed ends, and the reader continues from the files. */
const maxWaitingLines = 2000;

/**
 * The lines of a log for one subscriber. A reader that is too slow is disconnected, so that nothing accumulates. It reconnects after
 * its last line and misses nothing.
 */
export class LogFeed {
  readonly #level: LogLevel;
  readonly #onEnd: () => void;
  #lines: LogRecord[] = [];
  /** Whether the earlier lines are known. Lines that arrive before wait behind them. */
  #hasBegun = false;
  #isHeartbeatDue = false;
  #isEnded = false;
  #wake: () => void = () => {};

  /** Creates a feed of the lines of this level and of more severe ones. `onEnd` is called when it ends. */
  constructor(level: LogLevel, onEnd: () => void) {
    this.#level = level;
    this.#onEnd = onEnd;
  }

  /** Sets the earlier lines. Those that have also arrived as new lines are sent once. */
  begin(earlier: readonly LogRecord[]): void {
    const ids = new Set(earlier.map(({ id }) => id));
    this.#lines = [...earlier, ...this.#lines.filter(({ id }) => !ids.has(id))];
    this.#hasBegun = true;
  }

  /** Whether no further item will come. */
  get isDone(): boolean {
    return this.#isEnded && this.#lines.length === 0;
  }

  /** Adds a new line. */
  push(line: LogRecord): void {
    if (this.#isEnded || !isAtLeast(line, this.#level)) return;
    if (this.#hasBegun && this.#lines.length >= maxWaitingLines) {
      this.end();
      return;
    }
    this.#lines.push(line);
    this.#wake();
  }

  /** Queues a heartbeat, which is sent unless there is a line to send. */
  pushHeartbeat(): void {
    this.#isHeartbeatDue = true;
    this.#wake();
  }

  /** Resolves to the next item as soon as there is one; null when the feed has ended. One call at a time. */
  async next(): Promise<LogEvent | 'heartbeat' | null> {
    while (this.#lines.length === 0 && !this.#isHeartbeatDue && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isHeartbeatDue = false;
    const line = this.#lines.shift();
    if (line === undefined) return this.#isEnded ? null : 'heartbeat';
    return { id: line.id, json: JSON.stringify(line) };
  }

  /** Ends the feed. Lines that were not read yet can still be read. */
  end(): void {
    this.#isEnded = true;
    this.#onEnd();
    this.#wake();
  }

  /** Ends the feed at once and drops its unread lines. */
  cancel(): void {
    this.#lines = [];
    this.end();
  }
}

/** Which lines of a log to read. */
export interface LogQuery {
  /** Lines of this level and of more severe ones. */
  readonly level: LogLevel;
  /** Only the last lines, so many; null for all. */
  readonly tail: number | null;
}

/** Whether a line is of this level or a more severe one. */
function isAtLeast(line: Pick<LogRecord, 'level'>, level: LogLevel): boolean {
  return logLevels.indexOf(line.level) >= logLevels.indexOf(level);
}

/**
 * The lines that a query selects. With `lastEventId`, all that follow that line; if it is no longer there, those with a greater id.
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
