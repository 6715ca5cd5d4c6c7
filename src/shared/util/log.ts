/** Severities of log lines, the least severe first. */
export const logLevels = ['info', 'warn', 'error'] as const;

/** Severity of a log line. */
export type LogLevel = (typeof logLevels)[number];

/** What a log line is about. */
export interface LogFields {
  readonly jobId?: number;
  /** The output of the job. Absent if the line is not about one output. */
  readonly outputId?: number;
  /** Whether the line is only in the log of the job, and not in that of the daemon. */
  readonly isDetail?: boolean;
  /** Whether the log of the job begins with the line anyway, because its record says the same: it is not stored there. */
  readonly isImplied?: true;
  /** The last lines that a failed program wrote to stderr. */
  readonly stderr?: readonly string[];
}

/**
 * Writes one line to the daemon's log, and to that of the job that the fields name. Secrets are masked before the line
 * is written. Never throws and never waits.
 */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** A line of a log. */
export interface LogEntry extends LogFields {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** Receives the lines of a log, without secrets. */
export type LogSink = (entry: LogEntry) => void;

/** A log whose lines all have these fields, in addition to their own. */
export function withFields(log: Log, bound: LogFields): Log {
  return (level, message, fields) => log(level, message, { ...bound, ...fields });
}
