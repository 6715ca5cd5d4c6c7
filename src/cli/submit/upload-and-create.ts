import { readBoolean, readId } from '../../client/coerce.js';
import { normaliseCreated } from '../../client/normalise.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import { type FileUploader, uploadFiles } from './file-uploader.js';
import { type PreparedRequest, withAddresses } from './prepare-request.js';
import type { Send } from './submit-each.js';

/** Stands for a file that is not uploaded yet where a request is only checked. */
const placeholderInput = 'http://example.com/to-come';

/**
 * Brings the files of a request to the service and creates the job; the id is 0 if the request was only checked. Where no job comes of
 * it, what was staged is taken back. A service that can check the request does so first: a long upload for a request that it refuses would
 * be wasted.
 */
export async function uploadAndCreate(
  { fields, input, images }: PreparedRequest,
  uploader: FileUploader,
  send: Send,
  signal: AbortSignal,
): Promise<{ readonly answer: unknown; readonly id: number }> {
  let wasSent = false;
  try {
    if (input !== null && images.size === 0 && (await uploader.canValidate())) {
      const answer = await send({ ...fields, input: placeholderInput, mock: true });
      if (readBoolean(fields.mock)) return { answer, id: 0 };
    }
    const request = await withAddresses(fields, await uploadFiles(images, uploader));
    if (input !== null) request.input = await uploader.upload(input);
    wasSent = true;
    const answer = await send(request);
    const { id: reportedId } = normaliseCreated(answer);
    const id = readId(reportedId);
    if (id === 0 && (reportedId !== null || !readBoolean(request.mock))) throw missingIdError(reportedId);
    if (id === 0) await uploader.cleanUp(false);
    return { answer, id };
  } catch (error) {
    const mayExist = wasSent && (signal.aborted || mayHaveCreatedJob(error));
    await uploader.cleanUp(mayExist);
    throw signal.aborted ? interruptedError(mayExist) : error;
  }
}

/** Whether a create that ended so may have made its job: only a refusal says that it has not. */
function mayHaveCreatedJob(error: unknown): boolean {
  if (!isVencError(error)) return true;
  if (error.errorClass === 'TooManyRequestsError') return false;
  return error.entry.exitCode === exitCodes.unreachable;
}

function interruptedError(mayExist: boolean): VencError {
  return mayExist
    ? new VencError('InterruptedError', 'Interrupted while waiting for the response of the service.', {
        hint: 'venc list shows whether a job was created',
      })
    : new VencError('InterruptedError', 'Interrupted. Nothing was submitted.');
}

/** Only whole numbers that are exact can be asked about, as the document has them. */
function missingIdError(reportedId: string | null): VencError {
  const answer =
    reportedId === null
      ? 'its answer names no job'
      : `the id in its answer, ${safeText(reportedId)}, is none that can be used here`;
  return new VencError('UnreachableError', `The service accepted the request, but ${answer}.`, {
    hint: 'venc list shows whether a job was created',
  });
}
