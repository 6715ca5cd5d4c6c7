import { isVencError, VencError } from '../../shared/errors.js';

/** An interruption or a timeout, with the remark that the jobs themselves go on and how to come back to them; any other error as it is. */
export function withStillRunningHint(
  error: unknown,
  ids: readonly number[],
  command: 'wait' | 'watch' = 'wait',
): unknown {
  if (!isVencError(error, 'InterruptedError') && !isVencError(error, 'TimedOutError')) return error;
  const subject = ids.length === 1 ? `Job ${ids[0]} goes on` : 'The jobs go on';
  const verb = command === 'wait' ? 'wait' : 'look';
  const resumeHint = { hint: `to ${verb} again: venc ${[command, ...ids].join(' ')}` };
  return new VencError(error.errorClass, `${error.message} ${subject}.`, resumeHint);
}
