import type { Client } from '../../client/client.js';
import { VencError } from '../../shared/errors.js';
import type { ExitCode } from '../../shared/exit-codes.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import type { Context } from '../context.js';
import { hostsOutputs } from '../destinations/shared-destinations.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequestBody, loadPreset, warnUnknownFields } from '../input/job-args.js';
import { parseRequest } from '../input/job-input.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { afterSubmit } from './after-submit.js';
import { createFileUploader, uploadFiles } from './file-uploader.js';
import { withAddresses } from './prepare-request.js';
import { type JobToCreate, type SubmittedJobs, submitEach } from './submit-each.js';
import type { SubmitOptions } from './submit-options.js';
import { createPerFileDisplay } from './upload-display.js';

/** Creates one job for each line of stdin, prints their ids, and waits for them where that is asked for. */
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
  if (io.isTerminal.stdin) io.writeStderr('venc: type a request a line, and end them with Ctrl-D\n');
  const client = await context.client();
  const images = new Map<string, FileToUpload>();
  // A slip in the words is told once, not for every line; and a picture is uploaded once.
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
        const request = await buildRequestBody({ request: line, input: null, preset }, options);
        isHosted ||= hostsOutputs(request);
        return withAddresses(request, addresses);
      },
      toTypedTerms: async (error) => {
        if (error.errorClass !== 'InvalidRequestError') return error;
        const { withTypedTerms } = await import('../input/settings-errors.js');
        return withTypedTerms(error, '', options);
      },
      idempotencyKey: options.idempotencyKey ?? null,
      isJson: options.json === true,
      signal,
    });
  };
  const { ids, code } = await submit().finally(dispose);
  return afterSubmit(client, ids, { io, mode, options, code, isHosted });
}

/** How the lines are submitted. */
export interface LinesOptions {
  /** The request of a line with the words of the command line over it. */
  readonly complete: (request: RequestFields) => Promise<unknown>;
  /** A rejection in the words of the command line, where its settings come from there. */
  readonly toTypedTerms: (error: VencError) => Promise<VencError>;
  /** Each line has this key with its own number behind it, so that the same file may be submitted twice. */
  readonly idempotencyKey: string | null;
  /** Print the service's whole answers, one a line. */
  readonly isJson: boolean;
  /** Ends it between two lines, or in the middle of one. */
  readonly signal: AbortSignal;
}

/**
 * Submits one job for each line of stdin as it comes, and prints their ids. An error is reported with the number of its line, and the
 * others are submitted all the same. Rejects with `InterruptedError`.
 */
export async function submitLines(client: Client, io: Io, options: LinesOptions): Promise<SubmittedJobs> {
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
  if (count === 0) io.writeStderr('venc: there was no line on stdin, so there is no job\n');
  return submitted;
}

function jobOfLine(
  text: string,
  number: number,
  io: Io,
  { complete, toTypedTerms }: LinesOptions,
): JobToCreate {
  return {
    name: `line ${number}`,
    number,
    toTypedTerms,
    submit: async (send) => {
      const request = await complete(parseRequest(text, 'in it'));
      await warnUnknownFields(request, io, `line ${number}: `);
      return send(request);
    },
  };
}

function interruptedError(number: number, idempotencyKey: string | null): VencError {
  return new VencError('InterruptedError', `Interrupted after ${number} line${number === 1 ? '' : 's'}.`, {
    hint:
      idempotencyKey === null
        ? 'stdout has the ids of the created jobs; with --idempotency-key the same lines can be sent again'
        : 'the same command makes the jobs that are missing, and no other one twice',
  });
}

/** Lines as they come. JSON may hold what some take for the end of a line, so that only the line feed is one here. */
async function* linesOf(stream: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<string> {
  // Nobody may be typing any more: the wait for a line is ended as well.
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
