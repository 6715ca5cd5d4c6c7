import type { LogRecord } from '../../src/shared/records.js';
import { type LogLevel, logLevels } from '../../src/shared/util/log.js';

/** Which lines of a log to read. */
export interface LogQuery {
  /** Lines of this level and of more severe ones. */
  readonly level: LogLevel;
  /** Only the last lines, so many; null for all. */
  readonly tail: number | null;
}

/** Whether a line is of this level or a more severe one. */
export function isAtLeast(line: Pick<LogRecord, 'level'>, level: LogLevel): boolean {
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
