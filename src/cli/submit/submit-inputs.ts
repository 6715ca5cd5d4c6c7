import { normaliseCreated } from '../../client/normalise.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { requireWritableFolder } from '../destinations/check-destinations.js';
import {
  hostsOutputs,
  rejectExistingNames,
  rejectSharedDestinations,
} from '../destinations/shared-destinations.js';
import { withTypedTerms } from '../input/command-errors.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequestBody, loadPreset } from '../input/job-args.js';
import { isRequestName } from '../input/job-input.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { reportError } from '../terminal/report-error.js';
import { afterSubmit } from './after-submit.js';
import { createFileUploader, createTotalDisplay, uploadFiles } from './file-uploader.js';
import { type PreparedRequest, prepareRequest, withAddresses } from './prepare-request.js';
import { type JobToCreate, submitEach } from './submit-each.js';
import type { SubmitOptions } from './submit-options.js';
import { uploadAndCreate } from './upload-and-create.js';

/** One of several inputs, ready to be submitted. */
interface PreparedInput {
  /** The input as it was typed. */
  readonly name: string;
  /** Its number among all inputs, from 1. */
  readonly number: number;
  readonly prepared: PreparedRequest;
}

/**
 * Creates a job for each of several inputs, prints their ids in the order of the inputs, then waits and downloads if
 * the options say so. The error of an input is reported with its name, and the others are still submitted. Resolves to
 * the first exit code that is not 0.
 */
export async function submitInputs(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  if (args.filter((arg) => arg === '-').length > 1) {
    throw new VencError('UsageError', 'Only one input can be "-", because stdin can be read only once.', {
      hint: 'for many requests: venc submit - --ndjson < jobs.ndjson',
    });
  }
  // Check this before the encoding, which may take hours.
  if (options.download !== undefined) await requireWritableFolder(options.download);
  const images = new Map<string, FileToUpload>();
  // Report invalid flags once instead of for every input, and upload a watermark once.
  const preset = await loadPreset(options, io.env);
  const settings = await buildRequestBody({ request: null, input: null, preset }, options, images);
  const { inputs, code: preparing } = await prepareInputs(args, options, context);
  rejectSharedDestinations(
    inputs.map(({ name, prepared }) => ({ name, fields: prepared.fields })),
    { settings, hasPreset: preset !== null },
  );
  if (inputs.length === 0) return preparing;
  const client = await context.client();
  const { signal, dispose } = listenForInterrupt(io);
  const display = createTotalDisplay(io, mode, [
    ...images.values(),
    ...inputs.flatMap(({ prepared }) => [...ownFiles(prepared, images).values(), ...uploadsOf({ prepared })]),
  ]);
  const createUploaderFor = () =>
    createFileUploader({ client, context, display, stage: options.stage, signal });
  let isTest = false;
  const jobOf = ({ name, number, prepared }: PreparedInput, addresses: ReadonlyMap<string, string>) => ({
    name,
    number,
    typed: { arg: name, args: options },
    submit: async (send: Parameters<JobToCreate['submit']>[0]) => {
      const fields = await withAddresses(prepared.fields, addresses);
      // The files of the flags are uploaded once for all inputs, those of a request with it.
      const request = { ...prepared, fields, images: ownFiles(prepared, addresses) };
      const { answer } = await uploadAndCreate(request, createUploaderFor(), send, signal);
      isTest ||= normaliseCreated(answer).test === true;
      return answer;
    },
  });
  const submit = async () => {
    const addresses = await uploadFiles(images, createUploaderFor());
    return submitEach(
      inputs.map((input) => jobOf(input, addresses)),
      {
        client,
        out: (text) => display.withDisplayHidden(() => io.writeStdout(text)),
        writeStderr: display.writeStderr,
        source: 'input',
        idempotencyKey: options.idempotencyKey ?? null,
        isJson: options.json === true,
        signal,
        interruptedError: (created) => interruptedError(created, args.length),
      },
    );
  };
  const { ids, code: creating } = await submit().finally(() => {
    display.stop();
    dispose();
  });
  if (isTest) io.writeStderr('venc: test mode: outputs are cut to 5 seconds\n');
  const code = preparing === exitCodes.done ? creating : preparing;
  const isHosted = inputs.some(({ prepared }) => hostsOutputs(prepared.fields));
  return afterSubmit(client, ids, { io, mode, options, code, isHosted });
}

/** Reads all inputs before the first upload. Reports the error of an input; throws errors that concern all inputs. */
async function prepareInputs(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<{ readonly inputs: readonly PreparedInput[]; readonly code: ExitCode }> {
  const inputs: PreparedInput[] = [];
  let code: ExitCode = exitCodes.done;
  for (const [index, name] of args.entries()) {
    try {
      const prepared = await prepareRequest(name, options, context, `${name}: `);
      await rejectExistingNames(prepared, options);
      inputs.push({ name, number: index + 1, prepared });
    } catch (error) {
      if (!isVencError(error)) throw error;
      // For media files and URLs, all settings come from flags.
      if (error.errorClass === 'InvalidRequestError' && !isRequestName(name)) throw error;
      code = reportError(context.io, await withTypedTerms(error, { arg: name, args: options }), name, code);
    }
  }
  return { inputs, code };
}

/** The watermarks and caption files of a request that are not those of all. */
function ownFiles({ images }: PreparedRequest, shared: ReadonlyMap<string, unknown>) {
  return new Map([...images].filter(([address]) => !shared.has(address)));
}

function uploadsOf({ prepared: { input } }: Pick<PreparedInput, 'prepared'>): readonly FileToUpload[] {
  return input === null ? [] : [input];
}

function interruptedError(created: number, count: number): VencError {
  return new VencError('InterruptedError', `Interrupted. ${created} of ${count} inputs were submitted.`, {
    hint: 'stdout has the ids of the created jobs; venc list shows whether one more was created',
  });
}
