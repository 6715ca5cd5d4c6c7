import type { LogLine, News } from './watch-types.js';

// Enough for a tall terminal.
const longestLog = 50;

/** The log with what is new at its end, the oldest lines gone. */
export function extend(log: readonly LogLine[], news: readonly News[]): readonly LogLine[] {
  if (news.length === 0) return log;
  const next = (log.at(-1)?.serial ?? 0) + 1;
  return [...log, ...news.map((line, index) => ({ ...line, serial: next + index }))].slice(-longestLog);
}
