import type { logFormats } from '../../config/daemon-flags.js';
import type { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { jsonText, logText } from '../../shared/text/safe-text.js';
import type { LogSink } from '../../shared/util/log.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import type { Io } from './io.js';

/**
 * Exits without a graceful stop, which would write to a folder that now belongs to another process. The encoders end
 * with the process.
 */
export function exitImmediately(io: Io, error: VencError): void {
  io.writeStderr(formatError(error, false));
  io.exit(exitCodeOf(error));
}

/**
 * Resolves when a daemon or worker has stopped after a signal. The first signal stops it gracefully, the second skips
 * the grace period, the third exits immediately.
 */
export function stopOnSignal(io: Io, stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const onSignal = () => {
      count += 1;
      if (count > 2) io.exit(exitCodes.interrupted);
      stop().then(resolve, reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** A format of the log of a daemon or worker. */
export type LogFormat = (typeof logFormats)[number];

/** Writes a log to stderr, as text or as one JSON object per line. */
export function serviceLog(format: LogFormat, io: Io): LogSink {
  if (format === 'text') return (entry) => io.writeStderr(`${logText(entry)}\n`);
  return ({ time, level, message, jobId, outputId }) => {
    // Absent ids are left out of the text.
    io.writeStderr(`${jsonText({ time, level, message, job_id: jobId, output_id: outputId })}\n`);
  };
}
