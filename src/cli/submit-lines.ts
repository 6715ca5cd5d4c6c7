import { isVencError, VencError } from '../api/errors.js';
import { type ExitCode, exitCodes } from '../api/exit-codes.js';
import type { RequestFields } from '../api/settings/flag-values.js';
import type { Client } from '../client/client.js';
import { createJob } from '../client/create-job.js';
import { normaliseCreated } from '../client/normalise.js';
import type { Io } from './io.js';
import { parseRequest } from './job-input.js';
import { noteUnknownFields } from './note-unknown-fields.js';
import { errorText, exitCodeOf } from './print/error-text.js';

/** How the lines are submitted. */
export interface LinesOptions {
  /** The request of a line with the words of the command line over it. */
  readonly complete: (request: RequestFields) => Promise<unknown>;
  /** Each line has this key with its own number behind it, so that the same file may be submitted twice. */
  readonly idempotencyKey: string | null;
  /** Print the service's whole answers, one a line. */
  readonly isJson: boolean;
}

/** What became of the lines. */
export interface SubmittedLines {
  readonly ids: readonly number[];
  /** That of the first line that was no good. */
  readonly code: ExitCode;
}

/**
 * Submits one job for each line of stdin as it comes, and prints their ids. A line that is no good is told by its number, and the others
 * are submitted all the same; only where the service is out of reach or refuses the key there is no sense in going on.
 */
export async function submitLines(client: Client, io: Io, options: LinesOptions): Promise<SubmittedLines> {
  const ids: number[] = [];
  let code: ExitCode = exitCodes.done;
  let number = 0;
  for await (const line of linesOf(io.stdin)) {
    number += 1;
    if (line.trim() === '') continue;
    try {
      const id = await submitLine(client, io, { ...options, line, number });
      if (id > 0) ids.push(id);
    } catch (error) {
      if (!isVencError(error)) throw error;
      io.note(errorText(ofLine(error, number), false));
      if (code === exitCodes.done) code = exitCodeOf(error);
      if (!isHopeless(error)) continue;
      io.note(`venc: no line after line ${number} was submitted\n`);
      break;
    }
  }
  return { ids, code };
}

async function submitLine(
  client: Client,
  io: Io,
  {
    line,
    number,
    complete,
    idempotencyKey,
    isJson,
  }: LinesOptions & { readonly line: string; readonly number: number },
): Promise<number> {
  const request = await complete(parseRequest(line, 'in it'));
  await noteUnknownFields(request, io, `line ${number}: `);
  const key = idempotencyKey === null ? null : `${idempotencyKey}-${number}`;
  const { body } = await createJob(client, request, key);
  const id = Number(normaliseCreated(body).id ?? 0);
  if (isJson) await io.out(`${JSON.stringify(body)}\n`);
  else if (id > 0) await io.out(`${id}\n`);
  if (id === 0) io.note(`venc: line ${number}: taken, but the answer names no job\n`);
  return id;
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
async function* linesOf(stream: NodeJS.ReadStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
