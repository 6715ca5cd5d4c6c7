import { readBoolean, readId } from '../../client/coerce.js';
import { normaliseCreated } from '../../client/normalise.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import { type FileUploader, uploadFiles } from './file-uploader.js';
import { type PreparedRequest, withAddresses } from './prepare-request.js';
import type { Send } from './submit-each.js';

/** Placeholder for a file that is not uploaded yet, used to validate a request. */
const placeholderInput = 'http://example.com/to-come';

/**
 * Uploads the files of a request and creates the job; the id is 0 if the request was only validated. Removes staged
 * files if no job is created. If the service can validate requests, it does so first, to avoid a long upload for an
 * invalid request.
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

/** Whether a create that failed with this error may have created a job. Only a rejection rules that out. */
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

/** The error for an answer without a usable id: only exact integers can be used in later requests. */
function missingIdError(reportedId: string | null): VencError {
  const answer =
    reportedId === null
      ? 'its response has no job id'
      : `the id in its response, ${safeText(reportedId)}, cannot be used`;
  return new VencError('UnreachableError', `The service accepted the request, but ${answer}.`, {
    hint: 'venc list shows whether a job was created',
  });
}
