import { invalidRequest } from '../../src/shared/errors.js';
import type { Account } from '../store/account-store.js';
import type { AccountEvent } from './account-event.js';
import type { AccountEvents, FollowedJobs } from './account-events.js';
import { type AppContext, requireOwner } from './app-context.js';
import type { Feed } from './event-hub.js';
import { accountIdOf, allAccounts, findJob, notFoundError, unknownAccount } from './find-job.js';

/** The parameters of a stream, as strings from a query; null if absent. */
interface FollowParameters {
  /** The name of an account, or `*` for all: for the owner. */
  readonly account: string | null;
  /** Ids of jobs, separated by commas. */
  readonly only: string | null;
  /** The id of a job whose log the stream has as well. */
  readonly log: string | null;
}

type FollowDeps = Pick<AppContext, 'store' | 'accounts'>;

/** The ids in `only` at most. */
const maxIds = 1000;

/**
 * Follows the jobs of an account: what is active and then each change, as `AccountEvents.subscribe` says. Rejects with
 * `ForbiddenError` for `account` unless the account is that of the owner, with `NotFoundError` for the log of an unknown
 * job, and with `InvalidRequestError`, which names each invalid parameter. The caller must cancel the feed or read
 * it to its end.
 */
export async function followJobs(
  appContext: FollowDeps & { readonly accountEvents: AccountEvents },
  account: Pick<Account, 'id'>,
  { lastEventId, ...parameters }: FollowParameters & { readonly lastEventId: string | null },
): Promise<Feed<AccountEvent>> {
  const request = await readFollowRequest(appContext, account, parameters);
  return appContext.accountEvents.subscribe({ ...request, lastEventId });
}

/** Reads the parameters; an empty one counts as absent. Rejects as `followJobs` does. */
export async function readFollowRequest(
  appContext: FollowDeps,
  reader: Pick<Account, 'id'>,
  { account, only, log }: FollowParameters,
): Promise<{ readonly followed: FollowedJobs; readonly logOf: number | null }> {
  if (account)
    requireOwner(
      reader,
      'account: only keys of the account default, the owner of the daemon, may follow the jobs of other accounts.',
    );
  const named = account ? accountIdOf(appContext, account) : reader.id;
  const ids = only ? only.split(',') : null;
  const validationErrors = [
    ...(named === null ? [unknownAccount] : []),
    ...(ids === null || (ids.length <= maxIds && ids.every(isId))
      ? []
      : [`only must be at most ${maxIds} ids of jobs, separated by commas, such as 812,813`]),
    ...(!log || isId(log) ? [] : ['log must be the id of a job']),
  ];
  if (validationErrors.length > 0) throw invalidRequest(validationErrors);
  const accountId = named === allAccounts ? null : named;
  const logOf = log ? await idOfJob(appContext, accountId, Number(log)) : null;
  const numbers = ids?.map(Number).sort((a, b) => a - b) ?? null;
  const followed = { accountId, hasAccount: Boolean(account), only: numbers && [...new Set(numbers)] };
  return { followed, logOf };
}

async function idOfJob(appContext: FollowDeps, accountId: string | null, id: number): Promise<number> {
  if (accountId !== null) return (await findJob(appContext, accountId, id)).id;
  if ((await appContext.store.get(id)) === null) throw notFoundError('job', id);
  return id;
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text);
}
