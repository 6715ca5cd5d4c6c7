import type { LogRecord } from '../../src/shared/records.js';
import type { LogEntry } from '../../src/shared/util/log.js';

/** A log: that of a job, by its id, or that of the daemon. */
export type LogName = number | 'daemon';

/** The first line of the log of every job. It is made from the record of the job, so that a create writes one file. */
export function acceptedMessage(id: number): string {
  return `Job ${id} is accepted.`;
}

/** Receives a line that was added to a log. Must not throw. */
export type LogListener = (name: LogName, line: LogRecord) => void;

/**
 * Keeps the lines of logs in files. Logs are for people: a line may be lost in a crash or on a full disk, and none
 * ever delays or fails a job. The log of a job is bounded and keeps its first and last lines; that of the daemon keeps
 * its last lines.
 */
export interface LogStore {
  /**
   * Adds a line to the log of the daemon, unless it is a detail, and to that of its job, unless it is implied. Never
   * throws and never waits.
   */
  add(entry: LogEntry): void;
  /** The lines of a log, the oldest first; none if there is no such job. Lines of other programs are left out. */
  read(name: LogName): Promise<readonly LogRecord[]>;
  /** Calls a listener for every line that is added, until the returned function is called. */
  watch(listener: LogListener): () => void;
  /** Removes the log of a job. Never rejects. */
  removeJob(id: number): Promise<void>;
  /** Removes the logs of jobs that no longer exist, which a crash leaves. Never rejects. */
  removeOrphans(): Promise<void>;
  /** Resolves when all lines are written. Later lines are not kept. */
  close(): Promise<void>;
}
