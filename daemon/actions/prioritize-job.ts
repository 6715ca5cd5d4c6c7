import { invalidRequest } from '../../src/shared/errors.js';
import { parseBoolean } from '../../src/shared/settings/kinds/numbers.js';
import { jobPriority } from '../../src/shared/settings/limits.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { apply } from '../jobs/changes.js';
import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';
import { unknownFieldErrors } from './unknown-fields.js';

/**
 * Changes the place of a waiting job among those of its account: `priority` in the body from -10 to 10, or `next` to put
 * it before all others. Rejects with `InvalidRequestError` for any other body, and with `ConflictError` if the job does
 * not wait.
 */
export async function prioritizeJob(
  { store, queue, now, log }: Pick<AppContext, 'store' | 'queue' | 'now' | 'log'>,
  accountId: string,
  id: number,
  body: unknown,
): Promise<void> {
  await findJob({ store }, accountId, id);
  const wanted = readPlace(body);
  const priority = wanted ?? (await firstPriority({ store }, accountId, id));
  const job = await store.update(id, (stored) => apply(stored, { type: 'prioritized', priority }, now()));
  log('info', wanted === null ? `Job ${id} is next.` : `Job ${id} has priority ${priority}.`, { jobId: id });
  await queue.enqueue(job);
}

/** The priority in a body; null for `next`. */
function readPlace(body: unknown): number | null {
  const { priority, next } = isObject(body) ? body : {};
  const isNext = parseBoolean(next ?? false);
  const number = Number(typeof priority === 'string' && priority.trim() === '' ? Number.NaN : priority);
  const isPriority = Number.isInteger(number) && number >= jobPriority.min && number <= jobPriority.max;
  const problems = [
    ...unknownFieldErrors(body, ['priority', 'next'], 'of a place: it has priority and next'),
    ...(priority === undefined || isPriority
      ? []
      : [`priority must be a whole number from ${jobPriority.min} to ${jobPriority.max}`]),
    ...('value' in isNext ? [] : ['next must be true or false']),
  ];
  const wantsNext = 'value' in isNext && isNext.value;
  if (problems.length === 0 && (priority !== undefined) === wantsNext)
    problems.push('the body must have either priority or next: true');
  if (problems.length > 0) throw invalidRequest(problems);
  return wantsNext ? null : number;
}

/** A priority that is greater than those of all other waiting jobs of an account, and than any that may be requested. */
async function firstPriority(
  { store }: Pick<AppContext, 'store'>,
  accountId: string,
  id: number,
): Promise<number> {
  const priorities = (await store.active()).flatMap((job) =>
    job.accountId === accountId && job.id !== id ? (job.priority ?? 0) : [],
  );
  return Math.max(jobPriority.max, ...priorities) + 1;
}
