import { randomUUID } from 'node:crypto';
import { isVencError, VencError } from '../../api/errors.js';
import { type ExitCode, exitCodes } from '../../api/exit-codes.js';
import { jsonText } from '../../api/json-text.js';
import type { RequestFields } from '../../api/settings/flag-values.js';
import type { Client } from '../../client/client.js';
import { createJob, honoursKeys } from '../../client/create-job.js';
import { normaliseCreated } from '../../client/normalise.js';
import { pause } from '../../client/pause.js';
import { fieldsOf, readBoolean, readId } from '../../client/reading.js';
import type { Io } from '../io.js';
import { parseRequest } from '../job-input.js';
import { noteUnknownFields } from '../note-unknown-fields.js';
import { errorText, exitCodeOf } from '../print/error-text.js';

/** How the lines are submitted. */
export interface LinesOptions {
  /** The request of a line with the words of the command line over it. */
  readonly complete: (request: RequestFields) => Promise<unknown>;
  /** A rejection in the words of the command line, where its settings come from there. */
  readonly inTypedWords: (error: VencError) => Promise<VencError>;
  /** Each line has this key with its own number behind it, so that the same file may be submitted twice. */
  readonly idempotencyKey: string | null;
  /** Print the service's whole answers, one a line. */
  readonly isJson: boolean;
  /** Ends it between two lines, or in the middle of one. */
  readonly signal: AbortSignal;
}

/** What became of the lines. */
export interface SubmittedLines {
  readonly ids: readonly number[];
  /** That of the first line that was no good. */
  readonly code: ExitCode;
}

/** A line of stdin, by its number. */
interface Line {
  readonly text: string;
  readonly number: number;
  /** Its own, so that a line whose answer was lost can be sent again where the service honours keys. */
  readonly key: string;
}

/** Greatest time that a service may ask to be left alone between two lines. */
const longestWaitSeconds = 600;

/**
 * Submits one job for each line of stdin as it comes, and prints their ids. A line that is no good is told by its number, and the others
 * are submitted all the same; only where the service is out of reach or refuses the key there is no sense in going on. Where there are too
 * many requests for the service, the next one waits for as long as it asks. Rejects with `InterruptedError`.
 */
export async function submitLines(client: Client, io: Io, options: LinesOptions): Promise<SubmittedLines> {
  const { signal, idempotencyKey } = options;
  const keyStem = idempotencyKey ?? randomUUID();
  const ids: number[] = [];
  let code: ExitCode = exitCodes.done;
  let number = 0;
  try {
    for await (const text of linesOf(io.stdin, signal)) {
      number += 1;
      if (text.trim() === '') continue;
      try {
        const id = await submitLine(client, io, options, { text, number, key: `${keyStem}-${number}` });
        if (id > 0) ids.push(id);
      } catch (error) {
        signal.throwIfAborted();
        if (!isVencError(error)) throw error;
        io.note(errorText(ofLine(await options.inTypedWords(error), number), false));
        if (code === exitCodes.done) code = exitCodeOf(error);
        if (isHopeless(error)) {
          io.note(`venc: no line after line ${number} was submitted\n`);
          break;
        }
        // Not even the next line has a chance before that.
        await pause((askedWaitSeconds(error) ?? 0) * 1000, signal);
      }
    }
  } catch (error) {
    throw signal.aborted ? interrupted(number, idempotencyKey) : error;
  }
  if (number === 0) io.note('venc: there was no line on stdin, so there is no job\n');
  return { ids, code };
}

async function submitLine(
  client: Client,
  io: Io,
  { complete, isJson, signal }: LinesOptions,
  { text, number, key }: Line,
): Promise<number> {
  const request = await complete(parseRequest(text, 'in it'));
  await noteUnknownFields(request, io, `line ${number}: `);
  const body = await createPatiently(client, request, key, {
    signal,
    onWait: (seconds) => io.note(`venc: line ${number}: the service asks to wait for ${seconds} s\n`),
  });
  const id = readId(normaliseCreated(body).id);
  if (isJson) await io.out(`${jsonText(body)}\n`);
  else if (id > 0) await io.out(`${id}\n`);
  if (id === 0) {
    const isMock = readBoolean(fieldsOf(request).mock);
    const what = isMock ? 'the request is valid; nothing was queued' : 'taken, but the answer names no job';
    io.note(`venc: line ${number}: ${what}\n`);
  }
  return id;
}

/** Waits for as long as the service asks, and sends the request again where it is sure that no second job comes of it. */
async function createPatiently(
  client: Client,
  request: unknown,
  key: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (seconds: number) => void },
): Promise<unknown> {
  for (;;) {
    try {
      return (await createJob(client, request, key, signal)).body;
    } catch (error) {
      const seconds = askedWaitSeconds(error);
      if (seconds === null || !(await honoursKeys(client))) throw error;
      onWait(seconds);
      await pause(seconds * 1000, signal);
    }
  }
}

/** For how long a service that is asked too often wants to be left alone; null for every other error. */
function askedWaitSeconds(error: unknown): number | null {
  if (!isVencError(error, 'TooManyRequestsError')) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds !== null && retryAfterSeconds <= longestWaitSeconds
    ? Math.max(1, retryAfterSeconds)
    : null;
}

function interrupted(number: number, idempotencyKey: string | null): VencError {
  return new VencError('InterruptedError', `Interrupted after ${number} line${number === 1 ? '' : 's'}.`, {
    hint:
      idempotencyKey === null
        ? 'the ids on stdout are those of the jobs that were made; with --idempotency-key the same lines can be sent again'
        : 'the same command makes the jobs that are missing, and no other one twice',
  });
}

function isHopeless(error: VencError): boolean {
  return ['UnreachableError', 'UnauthorizedError', 'ForbiddenError'].includes(error.errorClass);
}

function ofLine(error: VencError, number: number): VencError {
  const told = error.complaints.map((complaint) => `line ${number}: ${complaint}`);
  const hint = error.hint === null ? {} : { hint: error.hint };
  return new VencError(error.errorClass, told.join('; '), { cause: error, complaints: told, ...hint });
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
