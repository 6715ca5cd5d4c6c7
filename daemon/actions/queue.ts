import { invalidRequest, isVencError } from '../../src/shared/errors.js';
import { durationParser } from '../../src/shared/flag-parsers.js';
import type { QueueRecord } from '../../src/shared/records.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { defaultAccountId, type Job } from '../jobs/job.js';
import { describePaused } from '../queue/pauses.js';
import type { Account } from '../store/account-store.js';
import type { AppContext } from './app-context.js';
import { workersWithoutFreeze } from './pause-job.js';

/** The longest pause that ends by itself, in seconds. */
const maxPauseSeconds = 366 * 86_400;

/** The state of the queue for an account: its own pause, or that of the whole daemon. */
export function readQueue({ pauses }: Pick<AppContext, 'pauses'>, { id }: Pick<Account, 'id'>): QueueRecord {
  const pause = pauses.of(id);
  return {
    paused: pause !== null,
    frozen: pause?.isFrozen ?? false,
    reason: pause?.reason ?? null,
    until: pause?.until?.toISOString() ?? null,
  };
}

/**
 * Pauses the jobs of an account, or of all accounts for the account `default`: no other starts, and those that encode
 * finish or, with `now` in the body, are frozen. The body may also have the length as `for`. Rejects with
 * `InvalidRequestError` for anything else in it.
 */
export async function pauseQueue(
  { pauses, store, workers, log }: Pick<AppContext, 'pauses' | 'store' | 'workers' | 'log'>,
  account: Pick<Account, 'id'>,
  body: unknown,
): Promise<QueueRecord> {
  const { seconds, isFrozen } = readPause(body);
  await pauses.pause(account.id, seconds, isFrozen);
  const length = seconds === null ? '' : ` for ${seconds} s`;
  const state = readQueue({ pauses }, account);
  const encodes = state.frozen ? ', and their encodes are stopped' : '';
  log('info', `${describePaused(account.id)} are paused${length}${encodes}.`);
  const isAffected = ({ accountId }: Job) => account.id === defaultAccountId || accountId === account.id;
  const names = state.frozen
    ? workersWithoutFreeze({ workers }, (await store.active()).filter(isAffected))
    : [];
  return names.length === 0 ? state : { ...state, not_frozen_by: names };
}

/** Ends the pause of an account; that of the whole daemon for the account `default`. */
export async function resumeQueue(
  { pauses, log }: Pick<AppContext, 'pauses' | 'log'>,
  account: Pick<Account, 'id'>,
): Promise<QueueRecord> {
  if (await pauses.resume(account.id)) log('info', `${describePaused(account.id)} may start again.`);
  return readQueue({ pauses }, account);
}

const parseLength = durationParser('for');

/** The length of a pause in seconds, null if it has none, and whether encodes are frozen. */
function readPause(body: unknown): { readonly seconds: number | null; readonly isFrozen: boolean } {
  if (body === undefined || body === null) return { seconds: null, isFrozen: false };
  if (!isObject(body)) throw invalidRequest(['the body must be an object such as {"for": "30m"}']);
  const { api_key: _, for: length = null, now = null, ...others } = body;
  const problems = Object.keys(others).map((name) => `${name} is not a field of a pause: it has for and now`);
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
