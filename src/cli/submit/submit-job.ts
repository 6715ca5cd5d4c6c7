import { createJob } from '../../client/create-job.js';
import { normaliseCreated } from '../../client/normalise.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { jsonText } from '../../shared/text/json-text.js';
import type { Context } from '../context.js';
import { refuseUnwritableFolder } from '../destinations/check-destinations.js';
import { hostsOutputs, refuseTakenNames } from '../destinations/output-destinations.js';
import { listenForEnd } from '../terminal/interrupt.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { afterSubmit } from './after-submit.js';
import { bringAndCreate } from './bring-and-create.js';
import { createBringer } from './bring-files.js';
import { prepareRequest } from './prepare-request.js';
import type { SubmitOptions } from './submit-options.js';
import { displayForEach } from './upload-display.js';

/** Creates one job (section 4.1), prints its id, and goes on with it as far as the options say. */
export async function submitJob(word: string, options: SubmitOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  // An hour of encoding later would be late to hear of it.
  if (options.download !== undefined) await refuseUnwritableFolder(options.download);
  const prepared = await prepareRequest(word, options, context);
  await refuseTakenNames(prepared, options);
  const client = await context.client();
  if (options.wait === true) await import('../jobs/wait-with-progress.js');
  const display = displayForEach(io, mode);
  const listening = listenForEnd(io);
  const { signal } = listening;
  const bringer = createBringer({ client, context, display, stage: options.stage, signal });
  const send = async (request: unknown) =>
    (await createJob(client, request, options.idempotencyKey ?? null, signal)).body;
  const { answer, id } = await bringAndCreate(prepared, bringer, send, signal).finally(listening.dispose);
  // From the moment on at which the id is known, Ctrl-C is to say that the job goes on.
  const waiting =
    id > 0 && options.wait === true ? { interruption: listenForEnd(io, options.timeout ?? null) } : {};
  if (options.json === true) await io.out(`${jsonText(answer, 2)}\n`);
  else if (id > 0) await io.out(`${id}\n`);
  if (normaliseCreated(answer).test === true) io.note('venc: test mode: outputs are cut to 5 seconds\n');
  if (id === 0) io.note('venc: the request is valid; nothing was queued\n');
  const isHosted = hostsOutputs(prepared.fields);
  const code = exitCodes.done;
  return afterSubmit(client, id === 0 ? [] : [id], { io, mode, options, code, isHosted, ...waiting });
}
