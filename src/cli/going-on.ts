import { isVencError, VencError } from '../api/errors.js';

/** An interruption or a timeout, with the remark that the jobs themselves go on; any other error as it is. */
export function jobsGoOn(error: unknown, ids: readonly number[]): unknown {
  if (!isVencError(error, 'InterruptedError') && !isVencError(error, 'TimedOutError')) return error;
  const subject = ids.length === 1 ? `Job ${ids[0]} goes on` : 'The jobs go on';
  const again = { hint: `to wait again: venc wait ${ids.join(' ')}` };
  return new VencError(error.errorClass, `${error.message} ${subject}.`, again);
}
