import { invalidRequest } from '../../src/shared/errors.js';
import type { LogRecord } from '../../src/shared/records.js';
import { logLevels } from '../../src/shared/util/log.js';
import { type AppContext, requireOwner } from './app-context.js';
import { findNamedJob } from './find-job.js';
import { type LogEvents, type LogQuery, selectLines } from './log-events.js';

/** The parameters of a log, as strings from a query; null if absent. */
interface LogParameters {
  readonly level: string | null;
  readonly tail: string | null;
}

/** Whose log is read: that of a job, which may be of a named account, or that of the daemon. */
export type RequestedLog = { readonly jobId: number; readonly accountName: string | null } | 'daemon';

/** Who reads a log. */
interface LogReader {
  readonly id: string;
}

/**
 * Reads a log. Rejects with `NotFoundError` as `findNamedJob` does, with `ForbiddenError` for the log of the
 * daemon unless the account is that of the owner, and with `InvalidRequestError`, which names each invalid parameter.
 */
export async function readLog(
  appContext: Pick<AppContext, 'store' | 'accounts' | 'logs'>,
  reader: LogReader,
  log: RequestedLog,
  parameters: LogParameters,
): Promise<{ readonly log: readonly LogRecord[] }> {
  const name = await requireReadable(appContext, reader, log);
  const query = parseLogQuery(parameters);
  return { log: selectLines(await appContext.logs.read(name), query, null) };
}

/** Follows a log. Rejects as `readLog` does. Resolves to null if no line will follow: the job has ended. */
export async function followLog(
  appContext: Pick<AppContext, 'store' | 'accounts' | 'logEvents'>,
  reader: LogReader,
  log: RequestedLog,
  { lastEventId, ...parameters }: LogParameters & { readonly lastEventId: string | null },
): ReturnType<LogEvents['subscribe']> {
  const name = await requireReadable(appContext, reader, log);
  return appContext.logEvents.subscribe(name, parseLogQuery(parameters), lastEventId);
}

/** Rejects as `readLog` does if the log or the parameters cannot be read. */
export async function requireReadableLog(
  appContext: Pick<AppContext, 'store' | 'accounts'>,
  reader: LogReader,
  log: RequestedLog,
  parameters: LogParameters,
): Promise<void> {
  await requireReadable(appContext, reader, log);
  parseLogQuery(parameters);
}

async function requireReadable(
  appContext: Pick<AppContext, 'store' | 'accounts'>,
  { id: accountId }: LogReader,
  log: RequestedLog,
): Promise<number | 'daemon'> {
  if (log !== 'daemon')
    return (await findNamedJob(appContext, { id: accountId }, log.jobId, log.accountName)).id;
  requireOwner(
    { id: accountId },
    'Only keys of the account default, the owner of the daemon, may read its log.',
  );
  return log;
}

function parseLogQuery({ level, tail }: LogParameters): LogQuery {
  const knownLevel = level === null || level === '' ? 'info' : logLevels.find((known) => known === level);
  const isTailValid = tail === null || /^[1-9]\d{0,8}$/.test(tail);
  const validationErrors = [
    ...(knownLevel === undefined ? [`level must be one of ${logLevels.join(', ')}`] : []),
    ...(isTailValid ? [] : ['tail must be a positive whole number']),
  ];
  if (knownLevel === undefined || !isTailValid) throw invalidRequest(validationErrors);
  return { level: knownLevel, tail: tail === null ? null : Number(tail) };
}
