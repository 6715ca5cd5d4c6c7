import type { Client } from '../../client/client.js';
import { fieldsOf, itemsOf, readText } from '../../client/coerce.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { redact } from '../../shared/redact.js';
import { productVersion } from '../../shared/version.js';
import { humanDuration } from '../output/units.js';
import { type Finding, messageOf, missingFinding, okFinding } from './finding.js';

/** What was learnt of the service, in facts; null where that could not be found out. */
export interface ServiceFacts {
  readonly url: string | null;
  readonly is_reachable: boolean;
  readonly is_key_good: boolean | null;
  /** By how much this clock is ahead of the service's. */
  readonly clock_ahead_seconds: number | null;
}

const subject = 'service';
/** How long a service may take to answer a doctor. */
const timeoutSeconds = 5;

/**
 * Whether the service answers and takes the key. A daemon that is not running is only worth a note, since `venc run`
 * needs none; a service that was named and does not answer counts as missing. Never rejects.
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
    const checkKey = { query: { per_page: 1 }, signal };
    const { header } = await client.call('listJobs', checkKey);
    const aheadSeconds = clockAhead(header('date'), new Date());
    const problems = client.target.isOwnDaemon === true ? await readHealthErrors(client, signal) : [];
    const findings = [
      okFinding(subject, `${url} answers and takes the key`),
      ...checkClock(aheadSeconds),
      ...problems,
    ];
    return {
      facts: { url, is_reachable: true, is_key_good: true, clock_ahead_seconds: aheadSeconds },
      findings,
    };
  } catch (error) {
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
  return missingFinding(subject, message, 'look whether it hangs, or whether the address is another');
}

function rejectedFindings(url: string, error: unknown): Finding {
  const advice =
    'compare the key with that of the account: VENC_API_KEY, or venc target add NAME URL for a new one';
  return missingFinding('key', `${url} does not take it: ${messageOf(error)}`, advice);
}

function findingOf(error: unknown, client: Client | null): Finding {
  const advice = error instanceof VencError ? (error.hint ?? error.entry.advice) : null;
  const isDaemon = client === null || client.target.isOwnDaemon === true;
  const isOnlyOff = isDaemon && isVencError(error, 'UnreachableError');
  return { ...missingFinding(subject, messageOf(error), advice), ...(isOnlyOff ? { level: 'note' } : {}) };
}

/** What the own daemon says of itself: a version other than this one's, and why it takes no jobs. */
async function readHealthErrors(client: Client, signal: AbortSignal): Promise<readonly Finding[]> {
  const version = fieldsOf((await client.call('version', { signal })).body).version;
  const { body } = await client.call('health', { acceptedStatus: 503, signal });
  const reasons = Object.values(fieldsOf(body))
    .flatMap(itemsOf)
    .flatMap((reason) => {
      const message = readText(reason);
      return message === null ? [] : [missingFinding(subject, message, null)];
    });
  return [...checkDaemonVersion(readText(version)), ...reasons];
}

/** Whether the daemon that runs is the one that was installed: after an upgrade the old one runs on. Nothing where it does not tell. */
export function checkDaemonVersion(serviceVersion: string | null): readonly Finding[] {
  if (serviceVersion === null || serviceVersion === productVersion) return [];
  const message = `the daemon is version ${serviceVersion}, and this is ${productVersion}`;
  return [
    { level: 'note', subject: 'versions', message, advice: 'start the daemon again: it keeps its jobs' },
  ];
}

/** Seconds by which clocks may differ: a `Date` header has whole ones, and answers take a while. */
const maxSkewSeconds = 5;
/** What signatures of storages and of notifications allow is five minutes. */
const advice =
  'set both clocks by NTP: S3 and receivers of signed notifications refuse times that are minutes off';

/** By how much this clock is ahead of the service's, in whole seconds; null where its answer bore no time. */
export function clockAhead(date: string | undefined, now: Date): number | null {
  const serviceTime = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(serviceTime) ? null : Math.round((now.getTime() - serviceTime) / 1000);
}

/** What a difference of clocks means to a person; nothing where it is not known. */
export function checkClock(aheadSeconds: number | null): readonly Finding[] {
  if (aheadSeconds === null) return [];
  const subject = 'clock';
  const difference = Math.abs(aheadSeconds);
  if (difference <= maxSkewSeconds) return [okFinding(subject, 'agrees with that of the service')];
  const message = `${humanDuration(difference)} ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of the service`;
  return [{ level: 'note', subject, message, advice }];
}
