import { basename, join } from 'node:path';
import { isVencError, VencError } from '../../api/errors.js';
import { type ExitCode, exitCodes } from '../../api/exit-codes.js';
import { jsonText } from '../../api/json-text.js';
import { safeText } from '../../api/safe-text.js';
import type { Client } from '../../client/client.js';
import { createJob } from '../../client/create-job.js';
import { normaliseCreated } from '../../client/normalise.js';
import { readBoolean, readId } from '../../client/reading.js';
import { refuseToOverwrite, refuseUnwritableFolder } from '../check-places.js';
import type { Context } from '../context.js';
import { listenForEnd } from '../interrupt.js';
import { chosenMode, type ProgressMode } from '../progress-mode.js';
import { bringFiles, createBringer } from './bring-files.js';
import { type PreparedRequest, prepareRequest, withAddresses } from './prepare-request.js';
import type { SubmitOptions } from './submit-options.js';

/** Creates one job (section 4.1), prints its id, and goes on with it as far as the options say. */
export async function submitJob(word: string, options: SubmitOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  // An hour of encoding later would be late to hear of it.
  if (options.download !== undefined) await refuseUnwritableFolder(options.download);
  const prepared = await prepareRequest(word, options, context);
  await refuseTakenNames(prepared, options);
  const client = await context.client();
  const waiting = options.wait === true ? await import('../wait-with-progress.js') : null;
  const { answer, id } = await create(prepared, options, { client, context, mode });
  // From the moment on at which the id is known, Ctrl-C is to say that the job goes on.
  const interruption = id === 0 || waiting === null ? null : listenForEnd(io, options.timeout ?? null);
  if (options.json === true) await io.out(`${jsonText(answer, 2)}\n`);
  else if (id > 0) await io.out(`${id}\n`);
  if (normaliseCreated(answer).test === true) io.note('venc: test mode: outputs are cut to 5 seconds\n');
  if (id === 0) io.note('venc: the request is valid; nothing was queued\n');
  if (waiting === null || interruption === null) return exitCodes.done;
  const code = await waiting.waitWithProgress(client, [id], { interruption, mode, io });
  // What a failed job did finish is worth having too.
  if (options.download === undefined || (code !== exitCodes.done && code !== exitCodes.jobFailed))
    return code;
  const { downloadEnded } = await import('../download/download-ended.js');
  const folder = options.download;
  return downloadEnded(client, id, io, { folder, isForced: options.force === true, mode, code });
}

/** With an idempotency key this may be the repeat of a create whose files were fetched in part, and what is there is no hindrance. */
async function refuseTakenNames({ fields, input }: PreparedRequest, options: SubmitOptions): Promise<void> {
  const { download: folder, force, idempotencyKey } = options;
  if (folder === undefined || force === true || idempotencyKey !== undefined) return;
  const { namesToCome } = await import('../download/names-to-come.js');
  await refuseToOverwrite(
    namesToCome(fields, input === null ? null : basename(input.path)).map((name) => join(folder, name)),
    'another folder',
  );
}

/** What a create goes by. */
interface Creating {
  readonly client: Client;
  readonly context: Context;
  readonly mode: ProgressMode;
}

/** Brings the files of a request to the service and creates the job. Where no job comes of it, what was staged is taken back. */
async function create(
  { fields, input, pictures }: PreparedRequest,
  { stage, idempotencyKey }: SubmitOptions,
  { client, context, mode }: Creating,
): Promise<{ readonly answer: unknown; readonly id: number }> {
  const { signal, dispose } = listenForEnd(context.io);
  const bringer = createBringer({ client, context, mode, stage, signal });
  let isAsked = false;
  try {
    const request = await withAddresses(fields, await bringFiles(pictures, bringer));
    if (input !== null) request.input = await bringer.bring(input);
    isAsked = true;
    const { body: answer } = await createJob(client, request, idempotencyKey ?? null, signal);
    const { id: told } = normaliseCreated(answer);
    const id = readId(told);
    if (id === 0 && (told !== null || !readBoolean(request.mock))) throw withoutId(told);
    if (id === 0) await bringer.giveUp(false);
    return { answer, id };
  } catch (error) {
    const mayBeMade = isAsked && (signal.aborted || mayHaveMadeJob(error));
    await bringer.giveUp(mayBeMade);
    throw signal.aborted ? interrupted(mayBeMade) : error;
  } finally {
    dispose();
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
