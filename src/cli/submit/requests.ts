import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import type { Context } from '../context.js';
import { hasFileOutput, withOverwrite } from '../destinations/output-names.js';
import { rejectExistingNames, rejectSharedDestinations } from '../destinations/shared-destinations.js';
import { withTypedTerms } from '../input/command-errors.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequestBody, type JobArgs, loadPreset, validateRequest } from '../input/job-args.js';
import { isRequestName, readJobInput } from '../input/job-input.js';
import { printRequestWarnings, type TypedRequest } from '../input/print-warnings.js';
import type { ProgressChoice } from '../terminal/progress-mode.js';

/** The options of `venc submit`, in addition to the settings of the job. */
export interface SubmitOptions extends JobArgs {
  readonly xml?: boolean;
  readonly ndjson?: boolean;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
  readonly wait?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  readonly download?: string;
  readonly force?: boolean;
  readonly stage?: string;
  readonly progress?: ProgressChoice;
}

/** The request built from the command line and local files, and the files to upload first. */
export interface PreparedRequest {
  /** Without an input if that is a file to upload. */
  readonly fields: RequestFields;
  readonly input: FileToUpload | null;
  /** Local watermarks and caption files, by the `file:` URLs in the request. */
  readonly images: ReadonlyMap<string, FileToUpload>;
}

/** A request to submit. */
export interface RequestToSubmit {
  /** Its name in messages: `line 2`, `film.mov`; null for a single input. */
  readonly name: string | null;
  /** Its number, from 1; it becomes the suffix of the idempotency key if there are several. */
  readonly number: number;
  /** The command that it comes from, to name settings as they were typed. */
  readonly typed: TypedRequest;
  /** Rejects with `UsageError` and `InvalidRequestError`. */
  readonly prepare: () => Promise<PreparedRequest>;
}

/** The requests of one command. */
export interface RequestStream {
  readonly kind: 'single' | 'input' | 'line';
  /** The files of the flags and the preset, which are uploaded once for all requests. */
  readonly shared: ReadonlyMap<string, FileToUpload>;
  /** Whether there is nothing to submit. */
  readonly isEmpty: boolean;
  /** All files to upload. */
  readonly files: readonly FileToUpload[];
  /** Reads the requests; the signal ends the wait for the next one. */
  readonly read: (signal: AbortSignal) => AsyncIterable<RequestToSubmit> | Iterable<RequestToSubmit>;
  /** The exit code of the first input that could not be read. */
  readonly code: ExitCode;
  /** The error for an interruption after `created` jobs; null if it is that of the request. */
  readonly interruptedError: (created: number) => VencError | null;
}

/**
 * Reads all inputs before the first upload. Reports the error of one of several inputs;
 * rejects with the error of a single one, and with errors that concern all inputs.
 */
export async function readInputs(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<RequestStream> {
  const isSingle = args.length === 1;
  if (args.filter((arg) => arg === '-').length > 1) {
    throw new VencError('UsageError', 'Only one input can be "-", because stdin can be read only once.', {
      hint: 'for many requests: venc submit - --ndjson < jobs.ndjson',
    });
  }
  const shared = new Map<string, FileToUpload>();
  // Report invalid flags once instead of for every input, and upload a watermark once.
  const preset = isSingle ? null : await loadPreset(options, context.io.env);
  const settings = isSingle
    ? {}
    : await buildRequestBody({ request: null, input: null, preset }, options, shared);
  const inputs: (PreparedRequest & { readonly name: string; readonly number: number })[] = [];
  let code: ExitCode = exitCodes.done;
  for (const [index, name] of args.entries()) {
    try {
      const prepared = await prepareInput(name, options, context, isSingle ? '' : `${name}: `);
      await rejectExistingNames(prepared, options);
      const images = new Map([...prepared.images].filter(([address]) => !shared.has(address)));
      inputs.push({ ...prepared, images, name, number: index + 1 });
    } catch (error) {
      if (isSingle || !isVencError(error)) throw error;
      // For media files and URLs, all settings come from flags.
      if (error.errorClass === 'InvalidRequestError' && !isRequestName(name)) throw error;
      const { reportError } = await import('../terminal/report-error.js');
      code = reportError(context.io, await withTypedTerms(error, { arg: name, args: options }), name, code);
    }
  }
  if (!isSingle) rejectSharedDestinations(inputs, { settings, hasPreset: preset !== null });
  const ownFiles = inputs.flatMap(({ input, images }) => [
    ...images.values(),
    ...(input === null ? [] : [input]),
  ]);
  return {
    kind: isSingle ? 'single' : 'input',
    shared,
    isEmpty: inputs.length === 0,
    files: [...shared.values(), ...ownFiles],
    read: () =>
      inputs.map(({ name, number, ...prepared }) => ({
        name: isSingle ? null : name,
        number,
        typed: { arg: name, args: options },
        prepare: async () => prepared,
      })),
    code,
    interruptedError: (created) =>
      isSingle
        ? null
        : new VencError(
            'InterruptedError',
            `Interrupted. ${created} of ${args.length} inputs were submitted.`,
            {
              hint: 'stdout has the ids of the created jobs; venc list shows whether one more was created',
            },
          ),
  };
}

/** Builds the request of an input. Validates everything that needs no service, before a long upload. */
async function prepareInput(
  arg: string,
  options: SubmitOptions,
  { io }: Context,
  where: string,
): Promise<PreparedRequest> {
  const input = await readJobInput(arg, io, options.xml === true ? { isXml: true, parseXml } : { parseXml });
  const images = new Map<string, FileToUpload>();
  const base = {
    request: input.kind === 'request' ? await withCaptionFiles(input.request, images) : null,
    input: input.kind === 'url' ? input.url : null,
    preset: await loadPreset(options, io.env),
  };
  const built = await buildRequestBody(base, options, images);
  if (options.force === true && options.download === undefined && !hasFileOutput(built))
    throw new VencError('UsageError', '--force needs --download, or an output at a file: URL.');
  const fields = options.force === true ? withOverwrite(built) : built;
  await printRequestWarnings(fields, { io, typed: { arg, args: options }, where });
  if (options.stage !== undefined && input.kind !== 'file' && images.size === 0) {
    throw new VencError('UsageError', '--stage needs a local file; the input is already a URL.');
  }
  const file = input.kind === 'file' ? input : null;
  if (file !== null) await validateRequest({ ...fields, input: 'upload://still/to-come' });
  else if (images.size > 0) await validateRequest(fields);
  return { fields, input: file, images };
}

async function withCaptionFiles(request: RequestFields, files: Map<string, FileToUpload>) {
  const { toCaptionUrls } = await import('../input/local-watermarks.js');
  return toCaptionUrls(request, files, false);
}

async function parseXml(text: string) {
  const { readXmlRequest } = await import('../../shared/xml/read-xml-request.js');
  return readXmlRequest(text);
}
