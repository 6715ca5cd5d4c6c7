/** Severity of a log line. */
type LogLevel = 'info' | 'warn' | 'error';

/** Writes one line to the daemon's log. Secrets are masked before the line is written. */
export type Log = (level: LogLevel, message: string) => void;
