import type { LogEntry, LogLevel } from '../util/log.js';
import { safeText } from './safe-text.js';

/** Colours for the parts of a line of a log. */
export interface LogColours {
  readonly time: (text: string) => string;
  readonly level: (text: string, level: LogLevel) => string;
  readonly stderr: (text: string) => string;
}

const plain: LogColours = { time: (text) => text, level: (text) => text, stderr: (text) => text };

/**
 * A line of a log as text, safe for a terminal. The other lines of a message, such as a stack trace, and the lines of
 * stderr follow on lines of their own. They are indented, so that no text looks like another line of the log.
 */
export function logText(
  { time, level, message, stderr = [] }: Pick<LogEntry, 'time' | 'level' | 'message' | 'stderr'>,
  colours: LogColours = plain,
): string {
  const [firstLine = '', ...moreLines] = message.split('\n');
  const first = `${colours.time(safeText(time))} ${colours.level(level.padEnd(5), level)} ${safeText(firstLine)}`;
  return [
    first,
    ...moreLines.map((line) => `    ${safeText(line)}`),
    ...stderr.map((line) => colours.stderr(`    ${safeText(line)}`)),
  ].join('\n');
}
