import type { LogRecord } from '../../shared/records.js';
import { type LogColours, logText } from '../../shared/text/safe-text.js';
import type { TextColours } from './paint.js';

/** Lines of a log as text: warnings and errors are coloured, times and messages of ffmpeg are dim. */
export function logLines(lines: readonly LogRecord[], paint: TextColours): string {
  const colours: LogColours = {
    time: paint.dim,
    level: (text, level) =>
      level === 'error' ? paint.red(text) : level === 'warn' ? paint.yellow(text) : text,
    stderr: paint.dim,
  };
  return lines.map((line) => `${logText(line, colours)}\n`).join('');
}
