import type { LogRecord } from '../../../src/shared/records.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { type LogEntry, logLevels } from '../../../src/shared/util/log.js';

/** The record of a line. */
export function toLogRecord(
  id: string,
  { time, level, message, jobId, outputId, stderr }: LogEntry,
): LogRecord {
  return {
    id,
    time,
    level,
    message,
    ...(jobId === undefined ? {} : { job_id: jobId }),
    ...(outputId === undefined ? {} : { output_id: outputId }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}

/** The last lines of a text, at most `maxLines`. Parts of lines and lines of other programs are left out. */
export function parseLogLines(text: string, maxLines = Number.POSITIVE_INFINITY): readonly LogRecord[] {
  const found: LogRecord[] = [];
  const lines = text.split('\n');
  for (let line = lines.pop(); line !== undefined && found.length < maxLines; line = lines.pop()) {
    const record = line === '' ? null : parseLogLine(line);
    if (record !== null) found.push(record);
  }
  return found.reverse();
}

function parseLogLine(line: string): LogRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isLogRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isLogRecord(value: unknown): value is LogRecord {
  if (!isObject(value)) return false;
  const { id, time, level, message, job_id, output_id, stderr } = value;
  return (
    [id, time, message].every((text) => typeof text === 'string') &&
    logLevels.some((known) => known === level) &&
    [job_id, output_id].every((number) => number === undefined || Number.isInteger(number)) &&
    (stderr === undefined || (Array.isArray(stderr) && stderr.every((text) => typeof text === 'string')))
  );
}

/**
 * Shortens the text of a log: keeps whole lines at its beginning and at its end, of at most so many characters, and
 * `marker` in between.
 */
export function shortenLog(
  text: string,
  kept: { readonly firstCharacters: number; readonly lastCharacters: number },
  marker: string,
): string {
  const firstEnd = text.lastIndexOf('\n', kept.firstCharacters) + 1;
  const lastStart = text.indexOf('\n', text.length - kept.lastCharacters) + 1;
  return lastStart <= firstEnd ? text : `${text.slice(0, firstEnd)}${marker}\n${text.slice(lastStart)}`;
}
