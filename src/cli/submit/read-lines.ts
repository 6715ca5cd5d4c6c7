import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { withOverwrite } from '../destinations/output-names.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequest } from '../input/job-args.js';
import { parseRequest } from '../input/job-input.js';
import { printRequestWarnings } from '../input/typed-request.js';
import type { PreparedRequest, RequestStream, RequestToSubmit, SubmitOptions } from './requests.js';

/** Reads one request from each line of stdin, as it arrives. Rejects with `UsageError` if a flag is invalid. */
export async function readLines(
  args: readonly string[],
  options: SubmitOptions,
  { io }: Context,
): Promise<RequestStream> {
  if (args.length !== 1 || args[0] !== '-') {
    throw new VencError('UsageError', '--ndjson reads requests from stdin.', {
      hint: 'for example: venc submit - --ndjson < jobs.ndjson',
    });
  }
  const shared = new Map<string, FileToUpload>();
  // Report invalid flags once instead of for every line, and upload a watermark once.
  await buildRequest({ request: null, input: null }, options, shared);
  const typed = { arg: '', args: options };
  let count = 0;

  async function prepare(text: string, name: string): Promise<PreparedRequest> {
    const base = { request: parseRequest(text, 'in it'), input: null };
    const { body, sent } = await buildRequest(base, options);
    const fields = options.force === true ? withOverwrite(body) : body;
    const request = options.force === true ? fields : sent;
    await printRequestWarnings(request, { io, typed, where: `${name}: ` });
    return { fields, sent: request, input: null, images: new Map() };
  }

  async function* read(signal: AbortSignal): AsyncGenerator<RequestToSubmit> {
    if (io.isTerminal.stdin) io.writeInfo('venc: type one request per line, and end with Ctrl-D\n');
    for await (const text of linesOf(io.stdin(), signal)) {
      count += 1;
      const name = `line ${count}`;
      if (text.trim() !== '')
        yield { name, number: count, folder: '', typed, prepare: () => prepare(text, name) };
    }
    if (count === 0) io.writeStderr('venc: warning: stdin has no lines, so no job was created\n');
  }

  const interruptedError = () =>
    new VencError('InterruptedError', `Interrupted after ${count} line${count === 1 ? '' : 's'}.`, {
      hint:
        options.idempotencyKey === undefined
          ? 'stdout has the ids of the created jobs; with --idempotency-key the same lines can be sent again'
          : 'run the same command again to create only the missing jobs',
    });
  const files = [...shared.values()];
  return {
    kind: 'line',
    shared,
    isEmpty: false,
    files,
    read,
    ...{ failures: [], repeatable: null },
    code: exitCodes.done,
    interruptedError,
  };
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
