import { redact } from '../../src/shared/redact.js';
import type { Disk } from '../../src/shared/util/disk.js';
import { currentScope } from '../../src/shared/util/error-scope.js';
import type { Log, LogSink } from '../../src/shared/util/log.js';
import { toJobFailure } from '../jobs/job.js';
import { failureInLog } from '../pipeline/run-log.js';
import { dataLayout } from '../store/data-folder/layout.js';
import type { LogStore } from '../store/log-store.js';
import { createFileLogStore } from '../store/logs/file-log-store.js';
import type { OnRetry } from '../transfer/with-retry.js';

/** Maximum length of a message. Longer ones, such as the arguments of many outputs, are cut off. */
const maxMessageCharacters = 8192;

/** What the logs of a data folder need. */
interface LogOptions {
  readonly dataFolder: string;
  /** The disk of the data folder, whose lock is held. */
  readonly disk: Disk;
  readonly hasJob: (id: number) => Promise<boolean>;
  readonly createdAtOf: (id: number) => Promise<string | null>;
  readonly now: () => Date;
  /** Receives the lines of the daemon, for its operator. */
  readonly sink: LogSink;
  /** Whether the sink also receives the details of jobs. */
  readonly hasDetails?: boolean | undefined;
}

/**
 * Opens the log of a daemon: each line goes to the operator, unless it is a detail of a job, and to the files in the
 * data folder.
 */
export function openLogs(options: LogOptions): { readonly log: Log; readonly logs: LogStore } {
  const { dataFolder, disk, hasJob, createdAtOf, now } = options;
  const sink: LogSink = (entry) =>
    entry.isDetail === true && options.hasDetails !== true ? undefined : options.sink(entry);
  const logs = createFileLogStore({
    layout: dataLayout(dataFolder),
    disk,
    hasJob,
    createdAtOf,
    onStateChange: (error) =>
      createLog(now, [sink])(error === null ? 'info' : 'warn', logFilesMessage(error)),
  });
  return { log: createLog(now, [sink, (entry) => logs.add(entry)]), logs };
}

/**
 * Creates a log that passes each line on to all sinks. The only place where secrets are masked: sinks get nothing
 * else.
 */
export function createLog(now: () => Date, sinks: readonly LogSink[]): Log {
  return (level, message, { stderr, ...fields } = {}) => {
    const entry = {
      ...fields,
      time: now().toISOString(),
      level,
      message: withoutSecrets(message),
      ...(stderr === undefined ? {} : { stderr: stderr.map(withoutSecrets) }),
    };
    for (const sink of sinks) sink(entry);
  };
}

function withoutSecrets(text: string): string {
  const redacted = redact(text);
  return redacted.length <= maxMessageCharacters ? redacted : `${redacted.slice(0, maxMessageCharacters)}…`;
}

/** Logs each retry of a transfer, with the id of the job in whose run it happens. */
export function createRetryLog(log: Log): OnRetry {
  return (error, delayMs) => {
    const job = currentScope()?.job;
    const reason = failureInLog(job ?? {}, toJobFailure(error, 'DownloadFailureError'));
    const subject = job === undefined ? 'A transfer' : `Job ${job.id}: a transfer`;
    const fields = job === undefined ? {} : { jobId: job.id };
    log('warn', `${subject} is tried again in ${(delayMs / 1000).toFixed(1)} s, ${reason}`, fields);
  };
}

/** The line for people when the files of logs cannot be written (an error), or can be again (null). */
function logFilesMessage(error: unknown): string {
  if (error === null) return 'The log files are written again. The lines in between are missing there.';
  const reason = error instanceof Error ? error.message : String(error);
  return `The log files cannot be written, and miss lines until that works again: ${reason}`;
}
