import { normaliseCreated } from '../../client/normalise.js';
import { readBoolean, readId } from '../../client/read-values.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import { type Bringer, bringFiles } from './bring-files.js';
import { type PreparedRequest, withAddresses } from './prepare-request.js';
import type { Send } from './submit-each.js';

/** Stands for a file that is not uploaded yet where a request is only checked. */
const inputToCome = 'http://example.com/to-come';

/**
 * Brings the files of a request to the service and creates the job; the id is 0 where the request was only checked. Where no job comes of
 * it, what was staged is taken back. A service that can check the request does so first: a long upload for a request that it refuses would
 * be wasted.
 */
export async function bringAndCreate(
  { fields, input, pictures }: PreparedRequest,
  bringer: Bringer,
  send: Send,
  signal: AbortSignal,
): Promise<{ readonly answer: unknown; readonly id: number }> {
  let isAsked = false;
  try {
    if (input !== null && pictures.size === 0 && (await bringer.canCheck())) {
      const answer = await send({ ...fields, input: inputToCome, mock: true });
      if (readBoolean(fields.mock)) return { answer, id: 0 };
    }
    const request = await withAddresses(fields, await bringFiles(pictures, bringer));
    if (input !== null) request.input = await bringer.bring(input);
    isAsked = true;
    const answer = await send(request);
    const { id: told } = normaliseCreated(answer);
    const id = readId(told);
    if (id === 0 && (told !== null || !readBoolean(request.mock))) throw withoutId(told);
    if (id === 0) await bringer.giveUp(false);
    return { answer, id };
  } catch (error) {
    const mayBeMade = isAsked && (signal.aborted || mayHaveMadeJob(error));
    await bringer.giveUp(mayBeMade);
    throw signal.aborted ? interrupted(mayBeMade) : error;
  }
}

/** Whether a create that ended so may have made its job: only a refusal says that it has not. */
function mayHaveMadeJob(error: unknown): boolean {
  if (!isVencError(error)) return true;
  if (error.errorClass === 'TooManyRequestsError') return false;
  return error.entry.exitCode === exitCodes.unreachable;
}

function interrupted(mayBeMade: boolean): VencError {
  return mayBeMade
    ? new VencError('InterruptedError', 'Interrupted while the service was asked.', {
        hint: 'venc list shows whether there is a job',
      })
    : new VencError('InterruptedError', 'Interrupted. Nothing was submitted.');
}

/** Only whole numbers that are exact can be asked about, as the document has them. */
function withoutId(told: string | null): VencError {
  const answer =
    told === null
      ? 'its answer names no job'
      : `the id in its answer, ${safeText(told)}, is none that can be used here`;
  return new VencError('UnreachableError', `The service took the request, but ${answer}.`, {
    hint: 'venc list shows whether there is a job',
  });
}
