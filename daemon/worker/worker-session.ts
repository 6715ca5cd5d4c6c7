import { isVencError, VencError } from '../../src/shared/errors.js';
import type { RecordOf } from '../../src/shared/records/field.js';
import type { workerClaimFields } from '../../src/shared/records/worker-messages.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { Log } from '../../src/shared/util/log.js';
import { workerProtocol } from '../../src/shared/version.js';
import type { ClaimAnswer, JoinAnswer, JoinRequest, WorkerClosure } from '../jobs/worker-protocol.js';
import { speaksTls } from '../net/open-socket.js';
import { type Moment, readClocks } from '../queue/claim-confirmation.js';
import { delay } from '../queue/retry-until-persisted.js';
import {
  isUnanswered,
  reportedError,
  retryDelayMs,
  tokenAdvice,
  untilAnswered,
  type WorkerClient,
  WorkerRequestError,
} from './worker-client.js';

/** What a session needs. */
interface WorkerSessionDeps {
  readonly client: WorkerClient;
  readonly request: JoinRequest;
  readonly log: Log;
  /** Called when the daemon cannot be reached, and when it can be again (null). */
  readonly onConnection: (error: VencError | null) => void;
  /** Called when the daemon asks a worker that waits for a job to end. */
  readonly onDrain: () => void;
}

/** A claim, and a moment before the daemon gave it. */
export interface ReceivedClaim {
  readonly claim: ClaimAnswer;
  readonly requestedAt: Moment;
}

/** How often the first join is attempted: a wrong address must not look like a worker that waits for jobs. */
const maxFirstAttempts = 3;
/** Between two answers that there is no job, in milliseconds, if the daemon does not wait before it answers. */
const minPollMs = 1_000;
/** A proxy that ends a poll after at least this time, in milliseconds, is not a daemon that cannot be reached. */
const cutPollMs = 3_000;
/** How much longer than the daemon waits a poll may take, in milliseconds. */
const pollMarginMs = 15_000;
/** Clocks that differ by more than this, in milliseconds, are reported. */
const maxClockDifferenceMs = 60_000;

/** The membership of a worker: it joins, asks for jobs, joins again when the daemon has restarted, and leaves. */
export class WorkerSession {
  readonly #deps: WorkerSessionDeps;
  #joined: JoinAnswer;
  #pollFailures = 0;

  private constructor(deps: WorkerSessionDeps, joined: JoinAnswer) {
    this.#deps = deps;
    this.#joined = joined;
  }

  /**
   * Joins a daemon. Rejects with `UnreachableError`, `UnauthorizedError`, `ConflictError` (the versions are too far
   * apart) or `UsageError` (the URL is not that of a daemon).
   */
  static async join(deps: WorkerSessionDeps, signal: AbortSignal): Promise<WorkerSession> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return new WorkerSession(deps, await join(deps, signal));
      } catch (error) {
        const isFinal = !(error instanceof WorkerRequestError) || !error.details.isTransient;
        if (isFinal || attempts >= maxFirstAttempts) throw reportedError(error);
        await delay(retryDelayMs(error, attempts), signal);
      }
    }
  }

  /** The answer of the daemon to the last join. */
  get joined(): JoinAnswer {
    return this.#joined;
  }

  /**
   * Waits for a job, at most as long as the daemon does. Resolves to null without one; then the caller asks again. With
   * `closed` it only reports that this worker takes no job now, and does not wait. Rejects if the daemon no longer admits this worker, and with the reason of the signal.
   */
  async nextClaim(signal: AbortSignal, closed: WorkerClosure | null = null): Promise<ReceivedClaim | null> {
    const requestedAt = readClocks();
    const elapsedMs = () => performance.now() - requestedAt.monotonicMs;
    const { workerId, pollSeconds } = this.#joined;
    try {
      const { status, headers, json } = await this.#deps.client.send({
        method: 'POST',
        path: '/claims',
        json: { workerId, ...closedFields(closed) },
        timeoutMs: pollSeconds * 1000 + pollMarginMs,
        signal,
      });
      this.#pollFailures = 0;
      this.#deps.onConnection(null);
      if (status !== 204) return { claim: json as ClaimAnswer, requestedAt };
      if (headers['venc-drain'] === 'true') this.#deps.onDrain();
      if (closed === null && elapsedMs() < minPollMs) await delay(minPollMs, signal);
      return null;
    } catch (error) {
      if (error instanceof WorkerRequestError && error.details.status === 404) {
        await this.#joinAgain(signal);
        return null;
      }
      if (!isUnanswered(error)) throw reportedError(error);
      if (elapsedMs() >= cutPollMs) return null;
      this.#pollFailures += 1;
      this.#deps.onConnection(error.reported);
      await delay(retryDelayMs(error, this.#pollFailures), signal);
      return null;
    }
  }

  /** Leaves the daemon, which gives this worker no further jobs. Makes one attempt; never rejects. */
  async leave(): Promise<void> {
    const path = `/workers/${this.#joined.workerId}`;
    await this.#deps.client.send({ method: 'DELETE', path, timeoutMs: 2_000 }).catch(() => {});
  }

  async #joinAgain(signal: AbortSignal): Promise<void> {
    const { log, client, onConnection } = this.#deps;
    // With the name that the daemon gave it: jobs that it runs have that name, also if it has a number.
    const request = { ...this.#deps.request, name: this.#joined.name, hasJoined: true };
    const deps = { ...this.#deps, request };
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      try {
        const attempt = () => join(deps, signal);
        this.#joined = await untilAnswered(attempt, {
          signal,
          onFailure: (error) => onConnection(error.reported),
        });
        log('info', `${this.#joined.name} joined ${client.url} again.`);
        return;
      } catch (error) {
        const reported = reportedError(error);
        const isRejected =
          isVencError(reported, 'UnauthorizedError') || isVencError(reported, 'ConflictError');
        if (signal.aborted || isRejected) throw reported;
        // A proxy may answer while the daemon restarts.
        if (isVencError(reported)) onConnection(reported);
        await delay(retryDelayMs(error, failures), signal);
      }
    }
  }
}

function closedFields(closed: WorkerClosure | null): Partial<RecordOf<typeof workerClaimFields>> {
  if (closed === null) return {};
  return { closedBy: closed.by, ...(closed.until === null ? {} : { closedUntil: closed.until }) };
}

async function join(
  { client, request, log }: Omit<WorkerSessionDeps, 'onConnection' | 'onDrain'>,
  signal: AbortSignal,
): Promise<JoinAnswer> {
  await checkDaemon(client, log, signal);
  const { json } = await client.send({ method: 'POST', path: '/workers', json: request, signal });
  if (!isObject(json) || typeof json.workerId !== 'string') throw notADaemon(client);
  return json as unknown as JoinAnswer;
}

/** Checks that the URL is that of a daemon of a suitable version, and compares its clock. */
async function checkDaemon(client: WorkerClient, log: Log, signal: AbortSignal): Promise<void> {
  const sentAt = Date.now();
  const { json } = await client.send({ method: 'GET', path: '', signal }).catch(async (error: unknown) => {
    await requireNoTls(client, error);
    // The token is the key of an account.
    if (error instanceof WorkerRequestError && error.details.status === 403)
      throw new VencError('ForbiddenError', error.message, { hint: tokenAdvice });
    const isStrange =
      error instanceof WorkerRequestError && [200, 404, 405].includes(error.details.status ?? 0);
    throw isStrange ? notADaemon(client) : error;
  });
  const answeredAt = Date.now();
  if (!isObject(json) || typeof json.protocol !== 'number') throw notADaemon(client);
  const { protocol, min_protocol: minProtocol, version, time } = json;
  if (typeof minProtocol === 'number' && minProtocol > workerProtocol.current)
    throw new VencError(
      'ConflictError',
      `This worker is too old for the daemon (venc ${String(version)}): upgrade venc on this machine.`,
    );
  if (protocol < workerProtocol.oldest)
    throw new VencError(
      'ConflictError',
      `The daemon (venc ${String(version)}) is too old for this worker: upgrade venc on the machine of the daemon.`,
    );
  const differenceMs = Date.parse(String(time)) - (sentAt + answeredAt) / 2;
  if (Math.abs(differenceMs) <= maxClockDifferenceMs) return;
  if (Number.isNaN(differenceMs)) return;
  const direction = differenceMs > 0 ? 'behind' : 'ahead of';
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  log(
    'warn',
    `The clock of this machine is ${seconds} s ${direction} that of the daemon. Correct it: storage services such as S3 reject requests with a wrong time.`,
  );
}

/** Throws `UsageError` if a request over plain HTTP failed because the server speaks TLS. */
async function requireNoTls({ url }: Pick<WorkerClient, 'url'>, error: unknown): Promise<void> {
  if (!url.startsWith('http:') || !(error instanceof WorkerRequestError)) return;
  const { status } = error.details;
  if ((status !== null && status !== 400) || !(await speaksTls(new URL(url)))) return;
  throw new VencError(
    'UsageError',
    `${new URL(url).host} speaks TLS, and the URL of --join says http:. Use --join ${url.replace('http:', 'https:')}.`,
    { cause: error },
  );
}

function notADaemon({ url }: Pick<WorkerClient, 'url'>): VencError {
  return new VencError('UsageError', `${url} is not a venc daemon that accepts workers.`, {
    hint: 'Check the URL of --join: it is the address that "venc daemon" prints. Daemons of earlier versions accept no workers.',
  });
}
