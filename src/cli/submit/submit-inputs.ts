import { normaliseCreated } from '../../client/normalise.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { refuseUnwritableFolder } from '../destinations/check-destinations.js';
import { hostsOutputs, refuseSharedPlaces, refuseTakenNames } from '../destinations/output-destinations.js';
import type { FileToUpload } from '../input/files.js';
import { presetOf, requestOf } from '../input/job-args.js';
import { isRequestName } from '../input/job-input.js';
import { listenForEnd } from '../terminal/interrupt.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { reportError } from '../terminal/report-error.js';
import { afterSubmit } from './after-submit.js';
import { bringAndCreate } from './bring-and-create.js';
import { bringFiles, createBringer } from './bring-files.js';
import { type PreparedRequest, prepareRequest, withAddresses } from './prepare-request.js';
import { type JobToCreate, submitEach } from './submit-each.js';
import type { SubmitOptions } from './submit-options.js';
import { displayForAll } from './upload-display.js';

/** One of several inputs, ready to be submitted. */
interface PreparedInput {
  /** The input as it was typed. */
  readonly name: string;
  /** Its place among all inputs, from 1 on. */
  readonly number: number;
  readonly prepared: PreparedRequest;
}

/**
 * Creates a job for each of several inputs, prints their ids in the order of the inputs, and goes on with them as far as the options say.
 * The error of an input is reported with its name, and the others are submitted all the same; the exit code is that of the first error.
 */
export async function submitInputs(
  words: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  if (words.filter((word) => word === '-').length > 1) {
    throw new VencError('UsageError', 'Only one input can be -: stdin is read once.', {
      hint: 'for many requests: venc submit - --ndjson < jobs.ndjson',
    });
  }
  // An hour of encoding later would be late to hear of it.
  if (options.download !== undefined) await refuseUnwritableFolder(options.download);
  const pictures = new Map<string, FileToUpload>();
  // Wrong flags are reported once, not for every input; and a watermark is uploaded once.
  const preset = await presetOf(options, io.env);
  const settings = await requestOf({ request: null, input: null, preset }, options, pictures);
  const { inputs, code: preparing } = await prepareInputs(words, options, context);
  refuseSharedPlaces(
    inputs.map(({ name, prepared }) => ({ name, fields: prepared.fields })),
    { settings, hasPreset: preset !== null },
  );
  if (inputs.length === 0) return preparing;
  const client = await context.client();
  const { signal, dispose } = listenForEnd(io);
  const display = displayForAll(io, mode, [...pictures.values(), ...inputs.flatMap(uploadsOf)]);
  const bringerFor = () => createBringer({ client, context, display, stage: options.stage, signal });
  let isTest = false;
  const jobOf = ({ name, number, prepared }: PreparedInput, addresses: ReadonlyMap<string, string>) => ({
    name,
    number,
    inTypedWords: inTypedWords(name, options),
    submit: async (send: Parameters<JobToCreate['submit']>[0]) => {
      const fields = await withAddresses(prepared.fields, addresses);
      const request = { ...prepared, fields, pictures: new Map<string, FileToUpload>() };
      const { answer } = await bringAndCreate(request, bringerFor(), send, signal);
      isTest ||= normaliseCreated(answer).test === true;
      return answer;
    },
  });
  const submit = async () => {
    const addresses = await bringFiles(pictures, bringerFor());
    return submitEach(
      inputs.map((input) => jobOf(input, addresses)),
      {
        client,
        out: (text) => display.aside(() => io.out(text)),
        note: display.note,
        source: 'input',
        idempotencyKey: options.idempotencyKey ?? null,
        isJson: options.json === true,
        signal,
        interrupted: (created) => interrupted(created, words.length),
      },
    );
  };
  const { ids, code: creating } = await submit().finally(() => {
    display.stop();
    dispose();
  });
  if (isTest) io.note('venc: test mode: outputs are cut to 5 seconds\n');
  const code = preparing === exitCodes.done ? creating : preparing;
  const isHosted = inputs.some(({ prepared }) => hostsOutputs(prepared.fields));
  return afterSubmit(client, ids, { io, mode, options, code, isHosted });
}

/** Reads all inputs before the first upload. The error of one is reported; one that no input has a part in is thrown. */
async function prepareInputs(
  words: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<{ readonly inputs: readonly PreparedInput[]; readonly code: ExitCode }> {
  const inputs: PreparedInput[] = [];
  let code: ExitCode = exitCodes.done;
  for (const [index, name] of words.entries()) {
    try {
      const prepared = await prepareRequest(name, options, context, `${name}: `);
      await refuseTakenNames(prepared, options);
      inputs.push({ name, number: index + 1, prepared });
    } catch (error) {
      if (!isVencError(error)) throw error;
      // The settings of media files and URLs are all from flags.
      if (error.errorClass === 'InvalidRequestError' && !isRequestName(name)) throw error;
      code = reportError(context.io, await inTypedWords(name, options)(error), name, code);
    }
  }
  return { inputs, code };
}

function inTypedWords(name: string, options: SubmitOptions): JobToCreate['inTypedWords'] {
  return async (error) => {
    if (error.errorClass !== 'UsageError' && error.errorClass !== 'InvalidRequestError') return error;
    const typed = await import('../input/settings-errors.js');
    return typed.inWordsTyped(error, name, options);
  };
}

function uploadsOf({ prepared: { input } }: PreparedInput): readonly FileToUpload[] {
  return input === null ? [] : [input];
}

function interrupted(created: number, count: number): VencError {
  return new VencError('InterruptedError', `Interrupted. ${created} of ${count} inputs were submitted.`, {
    hint: 'the ids on stdout are those of the jobs that were made; venc list shows whether there is one more',
  });
}
