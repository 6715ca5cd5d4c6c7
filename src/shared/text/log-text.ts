import type { LogEntry, LogLevel } from '../util/log.js';
import { safeText } from './safe-text.js';

/** Colours for the parts of a line of a log. */
export interface LogColours {
  readonly time: (text: string) => string;
  readonly level: (text: string, level: LogLevel) => string;
  readonly stderr: (text: string) => string;
}

const plain: LogColours = { time: (text) => text, level: (text) => text, stderr: (text) => text };

/** A line of a log as text, safe for a terminal. The lines of stderr follow on lines of their own, indented. */
export function logText(
  { time, level, message, stderr = [] }: Pick<LogEntry, 'time' | 'level' | 'message' | 'stderr'>,
  colours: LogColours = plain,
): string {
  const first = `${colours.time(safeText(time))} ${colours.level(level.padEnd(5), level)} ${safeText(message)}`;
  return [first, ...stderr.map((line) => colours.stderr(`    ${safeText(line)}`))].join('\n');
}
