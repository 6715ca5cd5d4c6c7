import type { LogEntry, LogLine } from './watch-types.js';

// Enough for a tall terminal.
const maxLogLines = 50;

/** The log with what is new at its end, the oldest lines gone. */
export function appendEntries(log: readonly LogLine[], entries: readonly LogEntry[]): readonly LogLine[] {
  if (entries.length === 0) return log;
  const next = (log.at(-1)?.serial ?? 0) + 1;
  return [...log, ...entries.map((line, index) => ({ ...line, serial: next + index }))].slice(-maxLogLines);
}
