import type { logFormats } from '../../config/daemon-flags.js';
import { jsonText } from '../../shared/text/json-text.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from './io.js';

/** How the daemon's log is written. */
export type LogFormat = (typeof logFormats)[number];

/** Writes the lines of the daemon's log to stderr: for people to read, or one JSON object each. */
export function daemonLog(format: LogFormat, io: Io): (level: string, message: string) => void {
  if (format === 'json') {
    return (level, message) =>
      io.writeStderr(`${jsonText({ time: new Date().toISOString(), level, message })}\n`);
  }
  return (level, message) =>
    io.writeStderr(`${new Date().toISOString()} ${level.padEnd(5)} ${safeText(message)}\n`);
}
