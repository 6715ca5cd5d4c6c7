import { invalidRequest, isVencError } from '../../src/shared/errors.js';
import { durationParser } from '../../src/shared/flag-parsers.js';
import type { JobProgressRecord, QueueRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { defaultAccountId, type Job } from '../jobs/job.js';
import { type JobProgress, jobProgress } from '../jobs/progress.js';
import { describePaused } from '../queue/pauses.js';
import type { Account } from '../store/account-store.js';
import { type AppContext, requireOwner } from './app-context.js';
import { workersWithoutFreeze } from './pause-job.js';
import { unknownFieldErrors } from './unknown-fields.js';

/** The longest pause that ends by itself, in seconds. */
const maxPauseSeconds = 366 * 86_400;

/** The state of the queue for an account: its own pause, that of the whole daemon, or that it is outside its hours. */
export function readQueue(
  { pauses, schedule }: Pick<AppContext, 'pauses' | 'schedule'>,
  { id }: Pick<Account, 'id'>,
): QueueRecord {
  const pause = pauses.of(id);
  const { closedBy, isFrozen, opensAt } = schedule.state;
  if (pause === null && closedBy === 'hours')
    return { paused: true, frozen: isFrozen, reason: closedBy, until: opensAt?.toISOString() ?? null };
  return {
    paused: pause !== null,
    frozen: pause?.isFrozen ?? false,
    reason: pause?.reason ?? null,
    until: pause?.until?.toISOString() ?? null,
  };
}

/** The progress of a job at this moment, with the pause of the queue that holds for it. */
export function readProgress(
  appContext: Pick<AppContext, 'pauses' | 'schedule'>,
  job: Job,
  progress: JobProgress,
): JobProgressRecord {
  const record = jobProgress(job, progress);
  const { paused, ...pause } = readQueue(appContext, { id: job.accountId });
  return isFinal(job.state) || !paused ? record : { ...record, queue: pause };
}

/**
 * Pauses the jobs of an account, or of all accounts for the account `default`: no other starts, and those that encode
 * finish or, with `now` in the body, are frozen. The body may also have the length as `for`. Rejects with
 * `InvalidRequestError` for anything else in it.
 */
export async function pauseQueue(
  {
    pauses,
    schedule,
    store,
    workers,
    log,
  }: Pick<AppContext, 'pauses' | 'schedule' | 'store' | 'workers' | 'log'>,
  account: Pick<Account, 'id'>,
  body: unknown,
): Promise<QueueRecord> {
  const { seconds, isFrozen } = readPause(body);
  await pauses.pause(account.id, seconds, isFrozen);
  const length = seconds === null ? '' : ` for ${seconds} s`;
  const state = readQueue({ pauses, schedule }, account);
  const encodes = state.frozen ? ', and their encodes are stopped' : '';
  log('info', `${describePaused(account.id)} are paused${length}${encodes}.`);
  const isAffected = ({ accountId }: Job) => account.id === defaultAccountId || accountId === account.id;
  const names = state.frozen
    ? workersWithoutFreeze({ workers }, (await store.active()).filter(isAffected))
    : [];
  return names.length === 0 ? state : { ...state, not_frozen_by: names };
}

/**
 * Ends the pause of an account; that of the whole daemon for the account `default`. With `for` in the body, jobs also
 * start outside the hours for that time, at each daemon that shares the records. Rejects with `InvalidRequestError` for
 * anything else in the body and for a daemon without hours that shares no records, and with `ForbiddenError` for `for`
 * with a key of another account.
 */
export async function resumeQueue(
  appContext: Pick<AppContext, 'pauses' | 'schedule' | 'openHours' | 'queue' | 'log'>,
  account: Pick<Account, 'id'>,
  body: unknown,
): Promise<QueueRecord> {
  const { pauses, schedule, openHours, queue, log } = appContext;
  const { seconds } = readPause(body, ['for']);
  if (seconds !== null) {
    requireOwner(
      account,
      'The hours of a daemon hold for all accounts: only keys of the account default may override them.',
    );
    if (!schedule.hasHours && !queue.isShared)
      throw invalidRequest(['for overrides the hours of a daemon, and this one was started without --hours']);
  }
  if (await pauses.resume(account.id)) log('info', `${describePaused(account.id)} may start again.`);
  if (seconds !== null) {
    await openHours.open(seconds);
    log('info', `Jobs start outside the hours (--hours) as well for ${seconds} s.`);
  }
  return readQueue({ pauses, schedule }, account);
}

const parseLength = durationParser('for');

/** The length of a pause in seconds, null if it has none, and whether encodes are frozen. */
function readPause(
  body: unknown,
  names: readonly ('for' | 'now')[] = ['for', 'now'],
): { readonly seconds: number | null; readonly isFrozen: boolean } {
  if (body === undefined || body === null) return { seconds: null, isFrozen: false };
  if (!isObject(body)) throw invalidRequest(['the body must be an object such as {"for": "30m"}']);
  const { for: length = null, now = null } = body;
  const problems = unknownFieldErrors(body, names, `here: there is ${names.join(' and ')}`);
  if (![null, true, false, 'true', 'false'].includes(now as null)) problems.push('now must be true or false');
  if (problems.length > 0) throw invalidRequest(problems);
  return { seconds: length === null ? null : secondsOf(length), isFrozen: String(now) === 'true' };
}

function secondsOf(length: unknown): number {
  const seconds = readLength(length);
  if (seconds > 0 && seconds <= maxPauseSeconds) return seconds;
  throw invalidRequest([`for must be longer than 0 and at most ${maxPauseSeconds} seconds (366 days)`]);
}

function readLength(length: unknown): number {
  if (typeof length !== 'string' && typeof length !== 'number')
    throw invalidRequest(['for must be a time such as 90, "30m" or "2h"']);
  try {
    return parseLength(String(length));
  } catch (error) {
    if (isVencError(error)) throw invalidRequest([error.message]);
    throw error;
  }
}
