import type { Client } from '../../client/client.js';
import { type ListedWorkers, requestWorkers } from '../../client/workers.js';
import { fieldsOf, itemsOf, readText } from '../../shared/client/coerce.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { redact } from '../../shared/redact.js';
import { humanDuration } from '../../shared/text/units.js';
import { productVersion } from '../../shared/version.js';
import { isSilent } from '../output/workers-table.js';
import { type Finding, messageOf, missingFinding, okFinding } from './check-machine.js';

/** Facts about the service; null where unknown. */
interface ServiceFacts {
  readonly url: string | null;
  readonly is_reachable: boolean;
  readonly is_key_good: boolean | null;
  /** Seconds by which this clock is ahead of that of the service. */
  readonly clock_ahead_seconds: number | null;
}

const subject = 'service';
/** Timeout of the checks. */
const timeoutSeconds = 5;

/**
 * Checks whether the service answers and accepts the key. A daemon that is not running is only a note, because `venc
 * run` does not need one; a named service that does not answer counts as missing. Never rejects.
 */
export async function checkService(
  connect: () => Promise<Client>,
  seconds = timeoutSeconds,
): Promise<{ readonly facts: ServiceFacts; readonly findings: readonly Finding[] }> {
  let client: Client | null = null;
  let url: string | null = null;
  const signal = AbortSignal.timeout(seconds * 1000);
  try {
    client = await connect();
    url = redact(client.target.url);
    // First, because the list of jobs waits for a database that does not answer.
    const health = client.target.isOwnDaemon === true ? await readHealth(client, signal) : null;
    if (health !== null && health.databaseProblem !== null) return withoutDatabase(url, health);
    const checkKey = { query: { per_page: 1 }, signal };
    const { header } = await client.call('listJobs', checkKey);
    const aheadSeconds = clockAhead(header('date'), new Date());
    const findings = [
      okFinding(subject, `${url} answers and accepts the key`),
      ...checkClock(aheadSeconds),
      ...(health === null ? [] : await readDaemonFindings(client, health, signal)),
    ];
    return {
      facts: { url, is_reachable: true, is_key_good: true, clock_ahead_seconds: aheadSeconds },
      findings,
    };
  } catch (error) {
    // Another machine may be a venc daemon as well.
    if (client !== null && url !== null && (signal.aborted || isVencError(error, 'UnavailableError'))) {
      const health = await readHealth(client, AbortSignal.timeout(seconds * 1000)).catch(() => null);
      if (health !== null && health.databaseProblem !== null) return withoutDatabase(url, health);
    }
    const isKeyInvalid = isVencError(error, 'UnauthorizedError') || isVencError(error, 'ForbiddenError');
    const facts = {
      url,
      is_reachable: isKeyInvalid && url !== null,
      is_key_good: isKeyInvalid ? false : null,
      clock_ahead_seconds: null,
    };
    if (signal.aborted && url !== null) return { facts, findings: [unreachableFindings(url, seconds)] };
    return {
      facts,
      findings: [isKeyInvalid && url !== null ? rejectedFindings(url, error) : findingOf(error, client)],
    };
  }
}

function unreachableFindings(url: string, seconds: number): Finding {
  const message = `${url} did not answer within ${seconds} seconds`;
  return missingFinding(
    subject,
    message,
    'check whether the service hangs and whether the address is correct',
  );
}

function rejectedFindings(url: string, error: unknown): Finding {
  const advice =
    'compare the key with that of the account: VENC_API_KEY, or venc target add NAME URL for a new one';
  return missingFinding('key', `${url} rejects it: ${messageOf(error)}`, advice);
}

function findingOf(error: unknown, client: Client | null): Finding {
  const advice = error instanceof VencError ? (error.hint ?? error.entry.advice) : null;
  const isDaemon = client === null || client.target.isOwnDaemon === true;
  const isOnlyOff = isDaemon && isVencError(error, 'UnreachableError');
  return { ...missingFinding(subject, messageOf(error), advice), ...(isOnlyOff ? { level: 'note' } : {}) };
}

/** What a daemon reports about itself. It needs no key for that. */
interface DaemonHealth {
  readonly findings: readonly Finding[];
  /** Why it cannot use its database; null if it can, or has none. */
  readonly databaseProblem: string | null;
  readonly clockAheadSeconds: number | null;
}

async function readHealth(client: Client, signal: AbortSignal): Promise<DaemonHealth> {
  const { body, header } = await client.call('health', { acceptedStatus: 503, signal });
  const fields = fieldsOf(body);
  const database = itemsOf(fields.checks)
    .map(fieldsOf)
    .find(({ name, ok }) => name === 'database' && ok !== true);
  return {
    findings: findingsOfHealth(fields),
    databaseProblem: readText(database?.reason),
    clockAheadSeconds: clockAhead(header('date'), new Date()),
  };
}

/** The result for a daemon that answers and can neither check a key nor list jobs. */
function withoutDatabase(url: string, { findings, databaseProblem, clockAheadSeconds }: DaemonHealth) {
  const others = findings.filter(({ message }) => message !== databaseProblem);
  const message = `the daemon at ${url} runs and cannot use its database: ${databaseProblem}`;
  const advice = 'the daemon continues by itself when it can use the database again; its log says more';
  return {
    facts: { url, is_reachable: true, is_key_good: null, clock_ahead_seconds: clockAheadSeconds },
    findings: [missingFinding(subject, message, advice), ...checkClock(clockAheadSeconds), ...others],
  };
}

/**
 * What the local daemon reports: a different version, the checks of its health that are not passed, and its workers.
 */
async function readDaemonFindings(
  client: Client,
  { findings }: DaemonHealth,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const version = fieldsOf((await client.call('version', { signal })).body).version;
  return [
    ...checkDaemonVersion(readText(version)),
    ...findings,
    ...(await readWorkerFindings(client, signal)),
  ];
}

/** The checks that are not passed. Daemons of earlier versions list only the reasons why they accept no jobs. */
function findingsOfHealth({ checks, errors }: ReturnType<typeof fieldsOf>): readonly Finding[] {
  const listed = itemsOf(checks).map(fieldsOf);
  if (listed.length === 0) {
    return itemsOf(errors).flatMap((reason) => {
      const message = readText(reason);
      return message === null ? [] : [missingFinding(subject, message, null)];
    });
  }
  return listed.flatMap(({ ok, required, reason }): readonly Finding[] => {
    const message = readText(reason);
    if (ok === true || message === null) return [];
    if (required === false) return [{ level: 'note', subject, message, advice: null }];
    return [missingFinding(subject, message, null)];
  });
}

/**
 * Whether the running daemon has the installed version: after an upgrade the old one keeps running. Empty if the daemon
 * does not report its version.
 */
export function checkDaemonVersion(serviceVersion: string | null): readonly Finding[] {
  if (serviceVersion === null || serviceVersion === productVersion) return [];
  const message = `the daemon is version ${serviceVersion}, but this command is version ${productVersion}`;
  return [{ level: 'note', subject: 'versions', message, advice: 'restart the daemon; it keeps its jobs' }];
}

/** Tolerated clock difference: `Date` headers have whole seconds, and responses take time. */
const maxSkewSeconds = 5;
/** Signatures of storage requests and of notifications allow five minutes. */
const advice =
  'synchronise both clocks with NTP: S3 and signed notifications are rejected if times differ by minutes';

/** Whole seconds by which this clock is ahead of that of the service; null if the response had no valid `Date`. */
export function clockAhead(date: string | undefined, now: Date): number | null {
  const serviceTime = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(serviceTime) ? null : Math.round((now.getTime() - serviceTime) / 1000);
}

/** The finding for a clock difference; empty if the difference is unknown. */
export function checkClock(aheadSeconds: number | null): readonly Finding[] {
  if (aheadSeconds === null) return [];
  const subject = 'clock';
  const difference = Math.abs(aheadSeconds);
  if (difference <= maxSkewSeconds) return [okFinding(subject, 'agrees with the service')];
  const message = `${humanDuration(difference)} ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of the service`;
  return [{ level: 'note', subject, message, advice }];
}

/**
 * The connected workers of a running daemon, and what needs attention about them. Empty if it has none. Never rejects.
 */
async function readWorkerFindings(client: Client, signal: AbortSignal): Promise<readonly Finding[]> {
  // Daemons of earlier versions have no workers.
  const listed = await requestWorkers(client, signal).catch(() => null);
  return listed === null ? [] : findingsOfWorkers(listed);
}

/** The findings about workers, with this time of the daemon. */
export function findingsOfWorkers({
  workers,
  at,
}: Pick<ListedWorkers, 'workers' | 'at'>): readonly Finding[] {
  if (workers.length === 0) return [];
  const now = at ?? new Date();
  const reporting = workers.filter((worker) => !isSilent(worker, now));
  const slots = reporting.reduce((sum, { jobs }) => sum + jobs, 0);
  const draining = reporting.filter((worker) => worker.draining).length;
  const summary = [
    `${reporting.length === 1 ? '1 worker is' : `${reporting.length} workers are`} connected`,
    slots === 1 ? '1 job at a time' : `${slots} jobs at a time`,
    ...(draining === 0 ? [] : [`${draining} draining`]),
  ].join(', ');
  const silent = workers
    .filter((worker) => isSilent(worker, now))
    .map(({ name, last_seen_at: seenAt }) => {
      const seconds = (now.getTime() - Date.parse(seenAt)) / 1000;
      return `${name} (${humanDuration(seconds)})`;
    });
  const others = workers
    .filter(({ version }) => version !== productVersion)
    .map(({ name, version }) => `${name} (${version})`);
  return [
    okFinding('workers', summary),
    ...note(silent, 'have not reported for a while', 'check their machines and their network'),
    ...note(
      others,
      `have another version than this command (${productVersion})`,
      'upgrade venc there; a worker that is one version apart still works',
    ),
  ];
}

/** Maximum number of workers that a finding names. */
const maxNames = 5;

function note(names: readonly string[], what: string, advice: string): readonly Finding[] {
  if (names.length === 0) return [];
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const message = `${what}: ${names.slice(0, maxNames).join(', ')}${more}`;
  return [{ level: 'note', subject: 'workers', message, advice }];
}
