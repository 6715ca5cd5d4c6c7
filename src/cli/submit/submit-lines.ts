import type { Client } from '../../client/client.js';
import { VencError } from '../../shared/errors.js';
import type { ExitCode } from '../../shared/exit-codes.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import type { Context } from '../context.js';
import { withOverwrite } from '../destinations/output-names.js';
import { hostsOutputs } from '../destinations/shared-destinations.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequestBody, loadPreset } from '../input/job-args.js';
import { parseRequest } from '../input/job-input.js';
import { printRequestWarnings, type TypedRequest } from '../input/print-warnings.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { afterSubmit } from './after-submit.js';
import { createFileUploader, createPerFileDisplay, uploadFiles } from './file-uploader.js';
import { withAddresses } from './prepare-request.js';
import { type JobToCreate, type SubmittedJobs, submitEach } from './submit-each.js';
import type { SubmitOptions } from './submit-options.js';

/** Creates one job for each line of stdin, prints their ids, and continues as the options say. */
export async function submitMany(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<ExitCode> {
  const { io } = context;
  if (args.length !== 1 || args[0] !== '-') {
    throw new VencError('UsageError', '--ndjson reads requests from stdin.', {
      hint: 'for example: venc submit - --ndjson < jobs.ndjson',
    });
  }
  if (io.isTerminal.stdin) io.writeStderr('venc: type one request per line, and end with Ctrl-D\n');
  const client = await context.client();
  const images = new Map<string, FileToUpload>();
  // Report invalid flags once instead of for every line, and upload a watermark once.
  const preset = await loadPreset(options, io.env);
  await buildRequestBody({ request: null, input: null, preset }, options, images);
  const mode = await chosenMode(context, options.progress, 'stderr');
  const { signal, dispose } = listenForInterrupt(io);
  let isHosted = false;
  const submit = async () => {
    const display = createPerFileDisplay(io, mode);
    const uploader = createFileUploader({ client, context, display, stage: undefined, signal });
    const addresses = await uploadFiles(images, uploader);
    return submitLines(client, io, {
      complete: async (line: RequestFields) => {
        const built = await buildRequestBody({ request: line, input: null, preset }, options);
        const request = options.force === true ? withOverwrite(built) : built;
        isHosted ||= hostsOutputs(request);
        return withAddresses(request, addresses);
      },
      typed: { arg: '', args: options },
      idempotencyKey: options.idempotencyKey ?? null,
      isJson: options.json === true,
      signal,
    });
  };
  const { ids, code } = await submit().finally(dispose);
  return afterSubmit(client, ids, { io, mode, options, code, isHosted });
}

/** Options for submitting lines. */
interface LinesOptions {
  /** Merges the request of a line with the flags. */
  readonly complete: (request: RequestFields) => Promise<Record<string, unknown>>;
  /** The command, to name settings as they were typed. */
  readonly typed: TypedRequest;
  /**
   * The common part of the idempotency keys; the number of the line is appended, so that submitting the same file again
   * creates no second jobs.
   */
  readonly idempotencyKey: string | null;
  /** Print complete responses, one per line, instead of ids. */
  readonly isJson: boolean;
  /** Aborts between two lines or during one. */
  readonly signal: AbortSignal;
}

/**
 * Creates a job for each line of stdin as it arrives, and prints their ids. An error is reported with its line number,
 * and the other lines are still submitted. Rejects with `InterruptedError` if aborted.
 */
async function submitLines(client: Client, io: Io, options: LinesOptions): Promise<SubmittedJobs> {
  const { signal, idempotencyKey, isJson } = options;
  let count = 0;
  async function* jobs(): AsyncGenerator<JobToCreate> {
    for await (const text of linesOf(io.stdin, signal)) {
      count += 1;
      if (text.trim() !== '') yield jobOfLine(text, count, io, options);
    }
  }
  const submitted = await submitEach(jobs(), {
    client,
    out: io.writeStdout,
    writeStderr: io.writeStderr,
    source: 'line',
    idempotencyKey,
    isJson,
    signal,
    interruptedError: () => interruptedError(count, idempotencyKey),
  });
  if (count === 0) io.writeStderr('venc: stdin has no lines, so no job was created\n');
  return submitted;
}

function jobOfLine(text: string, number: number, io: Io, { complete, typed }: LinesOptions): JobToCreate {
  return {
    name: `line ${number}`,
    number,
    typed,
    submit: async (send) => {
      const request = await complete(parseRequest(text, 'in it'));
      await printRequestWarnings(request, { io, typed, where: `line ${number}: ` });
      return send(request);
    },
  };
}

function interruptedError(number: number, idempotencyKey: string | null): VencError {
  return new VencError('InterruptedError', `Interrupted after ${number} line${number === 1 ? '' : 's'}.`, {
    hint:
      idempotencyKey === null
        ? 'stdout has the ids of the created jobs; with --idempotency-key the same lines can be sent again'
        : 'run the same command again to create only the missing jobs',
  });
}

/**
 * Splits stdin into lines as they arrive. Only line feeds separate lines, because JSON may contain other line
 * separators.
 */
async function* linesOf(stream: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<string> {
  // Also stop waiting for input.
  const end = () => stream.destroy(new Error('interrupted'));
  signal.addEventListener('abort', end, { once: true });
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer | string>) {
      rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
