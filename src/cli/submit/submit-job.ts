import { createJobWithRetry } from '../../client/create-job-with-retry.js';
import { normaliseCreated } from '../../client/normalise.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { jsonText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { requireWritableFolder } from '../destinations/check-destinations.js';
import { hostsOutputs, rejectExistingNames } from '../destinations/shared-destinations.js';
import { printResponseWarnings } from '../input/print-warnings.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { afterSubmit } from './after-submit.js';
import { createFileUploader, createPerFileDisplay } from './file-uploader.js';
import { prepareRequest } from './prepare-request.js';
import type { SubmitOptions } from './submit-options.js';
import { uploadAndCreate } from './upload-and-create.js';

/** Creates one job (section 4.1), prints its id, and continues as the options say. */
export async function submitJob(arg: string, options: SubmitOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  // Check this before the encoding, which may take hours.
  if (options.download !== undefined) await requireWritableFolder(options.download);
  const prepared = await prepareRequest(arg, options, context);
  await rejectExistingNames(prepared, options);
  const client = await context.client();
  if (options.wait === true) await import('../jobs/wait-with-progress.js');
  const display = createPerFileDisplay(io, mode);
  const listening = listenForInterrupt(io);
  const { signal } = listening;
  const uploader = createFileUploader({ client, context, display, stage: options.stage, signal });
  const send = async (request: unknown) =>
    (await createJobWithRetry(client, request, options.idempotencyKey ?? null, signal)).body;
  const { answer, id } = await uploadAndCreate(prepared, uploader, send, signal).finally(listening.dispose);
  // From here on the id is known, so the message after Ctrl-C reports that the job is still running.
  const waiting =
    id > 0 && options.wait === true ? { interruption: listenForInterrupt(io, options.timeout ?? null) } : {};
  if (options.json === true) await io.writeStdout(`${jsonText(answer, 2)}\n`);
  else if (id > 0) await io.writeStdout(`${id}\n`);
  await printResponseWarnings(answer, prepared.fields, { io, typed: { arg, args: options } });
  if (normaliseCreated(answer).test === true)
    io.writeStderr('venc: test mode: outputs are cut to 5 seconds\n');
  if (id === 0) io.writeStderr('venc: the request is valid; nothing was queued\n');
  const isHosted = hostsOutputs(prepared.fields);
  const code = exitCodes.done;
  return afterSubmit(client, id === 0 ? [] : [id], { io, mode, options, code, isHosted, ...waiting });
}
