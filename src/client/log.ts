import { coerceRecord, fieldsOf, itemsOf } from '../shared/client/coerce.js';
import { initialSseState, parseSse } from '../shared/client/sse.js';
import { isVencError, VencError } from '../shared/errors.js';
import { logLineFields } from '../shared/records/log.js';
import type { LogRecord } from '../shared/records.js';
import { type LogLevel, logLevels } from '../shared/util/log.js';
import type { Client } from './client.js';
import type { HttpResponse } from './http.js';
import { explainMissingRoute } from './network-errors.js';
import {
  type ConnectionEvent,
  createPollingSchedule,
  createWithRetry,
  pollingLimitsFor,
  toAbortError,
} from './polling-schedule.js';

/** Whose log: that of a job, by its id, or that of the daemon. */
export type LogSource = number | 'daemon';

/** Which lines of a log to request. */
export interface LogOptions {
  /** Lines of this level and of more severe ones; all if absent. */
  readonly level?: LogLevel;
  /** Only the last lines, so many; all if absent. */
  readonly tail?: number;
  readonly signal?: AbortSignal;
}

/** A line of a log that is followed, or a change of the connection. */
type LogUpdate = { readonly type: 'line'; readonly line: LogRecord } | ConnectionEvent;

/** Requests a log. Rejects as `Client.call` does, and with `NotFoundError` if the service keeps no logs. */
export async function requestLog(
  client: Client,
  source: LogSource,
  { level, tail, signal }: LogOptions,
): Promise<readonly LogRecord[]> {
  try {
    const options = { ...valuesOf(source), query: { level, tail }, signal };
    const { body } = await client.call(source === 'daemon' ? 'daemonLog' : 'jobLog', options);
    const { log } = fieldsOf(body);
    if (!Array.isArray(log)) throw noLogsError();
    return itemsOf(log).map(readLine);
  } catch (error) {
    throw await explainMissingLog(client, source, error);
  }
}

/**
 * Follows a log: first the lines that there are, then each new one, until the job has ended. Reconnects if the
 * connection breaks and misses no line. Rejects as `requestLog` does, and with the reason of the signal.
 */
export async function* streamLog(
  client: Client,
  source: LogSource,
  { level, tail, signal }: LogOptions,
): AsyncGenerator<LogUpdate> {
  const route = source === 'daemon' ? 'daemonLogEvents' : 'jobLogEvents';
  const schedule = createPollingSchedule(pollingLimitsFor(client.target.url));
  const withRetry = createWithRetry({ client, schedule, signal, isKnownReachable: false });
  let lastId: string | null = null;
  for (;;) {
    const position = lastId === null ? {} : { 'Last-Event-ID': lastId };
    const options = {
      ...valuesOf(source),
      query: { level, tail },
      headers: { Accept: 'text/event-stream', ...position },
      signal,
    };
    const response: HttpResponse = yield* explained(
      withRetry(() => client.open(route, options)),
      client,
      source,
    );
    // No line will follow.
    if (response.status === 204) return;
    if (!/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) {
      response.content.destroy();
      throw await explainMissingLog(client, source, noLogsError());
    }
    for await (const line of linesOf(response, signal)) {
      lastId = line.id;
      yield { type: 'line', line };
    }
    schedule.endRound(true);
  }
}

/** The same events; errors are explained. */
async function* explained<T>(
  request: AsyncGenerator<ConnectionEvent, T, undefined>,
  client: Client,
  source: LogSource,
): AsyncGenerator<ConnectionEvent, T, undefined> {
  try {
    return yield* request;
  } catch (error) {
    throw await explainMissingLog(client, source, error);
  }
}

/** The lines of one stream, until it ends or breaks. Rejects only with the reason of the signal. */
async function* linesOf(
  { content }: HttpResponse,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogRecord> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let state = initialSseState;
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      const read = parseSse(state, decoder.decode(chunk, { stream: true }));
      state = read.state;
      for (const { data } of read.messages) yield readLine(parseJson(data));
    }
  } catch (error) {
    if (signal?.aborted === true) throw toAbortError(signal);
    // A broken connection: the next request continues after the last line.
    if (isVencError(error)) throw error;
  } finally {
    content.destroy();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noLogsError();
  }
}

function readLine(value: unknown): LogRecord {
  const line = coerceRecord(logLineFields, value);
  return { ...line, level: logLevels.find((known) => known === line.level) ?? 'info' };
}

function valuesOf(source: LogSource) {
  return source === 'daemon' ? {} : { values: { id: source } };
}

function noLogsError(): VencError {
  return new VencError('NotFoundError', 'This service keeps no logs that venc can read.', {
    hint: 'venc show ID says why a job failed',
  });
}

/** Explains an error if the service keeps no logs: it has the job, or it lists jobs. Returns others unchanged. */
function explainMissingLog(client: Client, source: LogSource, error: unknown): Promise<unknown> {
  return explainMissingRoute(error, {
    missing: noLogsError(),
    // A key of another account than the owner's.
    ...(source === 'daemon'
      ? {
          forbiddenHint:
            'use a full access key of the account default; venc logs ID shows the log of one of your jobs',
        }
      : {}),
    fallback: () => (source === 'daemon' ? client.listJobs({ perPage: 1 }) : client.job(source)),
  });
}
