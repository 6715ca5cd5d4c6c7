import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Client, createJobWithRetry, isVencDaemon } from '../../client/client.js';
import { readBoolean, readId } from '../../shared/client/coerce.js';
import { normaliseCreated } from '../../shared/client/normalise.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { inputNameOf, placeholderInput } from '../../shared/settings/input-files.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import { abortableSleep } from '../../shared/util/timing.js';
import type { Context } from '../context.js';
import { printResponseWarnings, withTypedTerms } from '../input/typed-request.js';
import type { BatchFailure } from '../output/batch-text.js';
import { type Interruption, listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { chosenMode, type ProgressMode } from '../terminal/progress-mode.js';
import type { SubmittedInput, WaitOptions } from './after-submit.js';
import {
  hostsOutputs,
  type PreparedRequest,
  type RequestStream,
  type RequestToSubmit,
  readInputs,
  type SubmitOptions,
} from './requests.js';
import type { Uploads } from './uploads.js';

/** What the creates of one command share. */
interface CreateContext {
  readonly client: Client;
  readonly io: Pick<Io, 'writeStdout' | 'writeStderr' | 'writeInfo'>;
  /** Whether stdout is a terminal. */
  readonly isOnTerminal: boolean;
  readonly options: SubmitOptions;
  readonly stream: RequestStream;
  /** Null if there are no files to upload. */
  readonly uploads: Uploads | null;
  readonly signal: AbortSignal;
  /** Called when the service has created the job of a request, with 0 if it has only validated the request. */
  readonly onCreated: (id: number) => void;
}

/** The result of the creates. */
interface Submitted {
  readonly ids: readonly number[];
  /** The inputs of the jobs, if there are several. */
  readonly inputs: ReadonlyMap<number, SubmittedInput>;
  /** The inputs without a job. */
  readonly failures: readonly BatchFailure[];
  /** The folder for the downloads of each job, relative to that of all; empty for that folder itself. */
  readonly folders: ReadonlyMap<number, string>;
  /** The exit code of the first error. */
  readonly code: ExitCode;
  /** How long the service hosts outputs of the jobs at least, such as `24 hours`; null if it hosts none. */
  readonly hostedFor: string | null;
  readonly isTest: boolean;
}

/** Maximum wait, in seconds, that a service may request between two jobs. */
const maxWaitSeconds = 600;
const testModeText = 'venc: test mode: outputs are cut to 5 seconds\n';

/**
 * Creates a job (section 4.1) for each input, or for each line of stdin, prints their ids, and continues as the options
 * say. Resolves to the first exit code that is not 0.
 */
export async function submit(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
  repeat: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<ExitCode> {
  const { io } = context;
  const mode = await chosenMode(context, options.progress, 'stderr');
  // Check this before the encoding, which may take hours.
  if (options.download !== undefined) {
    const { requireWritableFolder } = await import('../../shared/util/check-destinations.js');
    await requireWritableFolder(options.download);
  }
  const read = options.ndjson === true ? (await import('./read-lines.js')).readLines : readInputs;
  const stream = await read(args, options, context);
  if (stream.isEmpty) return stream.code;
  const client = await context.client();
  if (options.wait === true) await import('./after-submit.js');
  const openUploads = stream.files.length === 0 ? null : (await import('./uploads.js')).openUploads;
  const listening = listenForInterrupt(io);
  const { signal } = listening;
  const { stage, inPlace: isInPlace = false } = options;
  const uploads = openUploads?.({ client, context, mode, stream, stage, isInPlace, signal }) ?? null;
  let waiting = null as Interruption | null;
  const onCreated = (id: number) => {
    if (stream.kind !== 'single') return;
    listening.dispose();
    // From here on the id is known, so the message after Ctrl-C reports that the job is still running.
    if (id > 0 && options.wait === true) waiting = listenForInterrupt(io, options.timeout ?? null);
  };
  const shown = uploads?.display ?? io;
  const created = createAll({
    client,
    io: shown,
    isOnTerminal: io.isTerminal.stdout,
    options,
    stream,
    uploads,
    signal,
    onCreated,
  });
  const submitted = await created.finally(() => {
    uploads?.display.stop();
    listening.dispose();
  });
  if (submitted.isTest && stream.kind === 'input') io.writeInfo(testModeText);
  const repeatable = stream.repeatable;
  return afterSubmit(client, submitted, {
    ...{ io, mode, options, waiting, programs: () => context.programs({}) },
    repeat: repeatable === null ? null : (names) => repeat(repeatable(names)),
  });
}

/**
 * Creates the jobs one after the other. The error of one of several is reported with the name of its line or input, and
 * the others are still created, unless the service is unreachable or rejects the key. After "too many requests" the
 * next create waits as long as the service requests.
 */
async function createAll(context: CreateContext): Promise<Submitted> {
  const { io, options, stream, uploads, signal } = context;
  // An idempotency key allows a retry of a request whose response was lost, if the service supports keys.
  const keyStem = options.idempotencyKey ?? randomUUID();
  const folders = new Map<number, string>();
  const ids: number[] = [];
  const inputs = new Map<number, SubmittedInput>();
  const failures = [...stream.failures];
  let { code } = stream;
  let hostedFor: string | null = null;
  let isTest = false;
  const addresses = await uploads?.createUploader().uploadAll(stream.shared);
  try {
    for await (const request of stream.read(signal)) {
      const { name, number, folder, typed } = request;
      signal.throwIfAborted();
      try {
        const prepared = await request.prepare();
        if (hostsOutputs(prepared.fields)) hostedFor = hostingTime(prepared.fields);
        const fields = await withAddresses(prepared.sent, addresses);
        const key = name === null ? (options.idempotencyKey ?? null) : `${keyStem}-${number}`;
        const created = await createOne({ ...prepared, fields }, { ...context, name, key });
        if (created.id > 0) ids.push(created.id);
        if (name !== null) inputs.set(created.id, { name, path: prepared.input?.path ?? null });
        folders.set(created.id, folder);
        isTest ||= normaliseCreated(created.answer).test === true;
        await printCreated(created, request, prepared.sent, context);
      } catch (error) {
        if (name === null) throw error;
        signal.throwIfAborted();
        if (!isVencError(error)) throw error;
        const { affectsAllJobs, reportError } = await import('../terminal/report-error.js');
        const typedError = await withTypedTerms(error, typed);
        code = reportError(io, typedError, name, code);
        failures.push({ name, reason: typedError.message });
        if (affectsAllJobs(error)) {
          io.writeStderr(`venc: the ${stream.kind}s after ${name} were not submitted\n`);
          break;
        }
        // The next request would be rejected before that time as well.
        await abortableSleep((requestedWaitSeconds(error) ?? 0) * 1000, signal);
      }
    }
  } catch (error) {
    throw (signal.aborted ? stream.interruptedError(ids.length) : null) ?? error;
  }
  return { ids, inputs, failures, folders, code, hostedFor, isTest };
}

/** How long the outputs of a request are hosted (`keep`). */
function hostingTime({ keep }: RequestFields): string {
  return typeof keep === 'number' ? `${keep}s` : String(keep ?? '24 hours');
}

/** The answer of the service to a create; the id is 0 if it has none. */
interface Created {
  readonly answer: unknown;
  readonly id: number;
}

/** Prints the id of a job, or the complete response, and then the warnings in it. */
async function printCreated(
  { answer, id }: Created,
  { name, typed }: RequestToSubmit,
  fields: RequestFields,
  { io, options, stream, isOnTerminal }: CreateContext,
): Promise<void> {
  const where = name === null ? '' : `${name}: `;
  if (options.json === true) await io.writeStdout(`${jsonText(answer, name === null ? 2 : 0)}\n`);
  else if (id > 0)
    await io.writeStdout(`${id}${isOnTerminal && name !== null ? `  ${safeText(name)}` : ''}\n`);
  await printResponseWarnings(answer, fields, { io, typed, where });
  if (stream.kind === 'single' && normaliseCreated(answer).test === true) io.writeInfo(testModeText);
  if (id > 0) return;
  const isValidated = stream.kind !== 'line' || readBoolean(fields.mock);
  if (isValidated) io.writeInfo(`venc: ${where}the request is valid; nothing was queued\n`);
  else io.writeStderr(`venc: ${where}warning: accepted, but the response has no job id\n`);
}

/** Replaces the addresses of the watermarks in a request. */
async function withAddresses(
  request: RequestFields,
  addresses: ReadonlyMap<string, string> = new Map(),
): Promise<RequestFields> {
  if (addresses.size === 0) return request;
  const { replaceWatermarks } = await import('../input/local-watermarks.js');
  return replaceWatermarks(request, addresses);
}

/**
 * Uploads the files of a request and creates the job; the id is 0 if the request was only validated. Removes staged
 * files if no job is created. If the service can validate requests, it does so first, to avoid a long upload for an
 * invalid request.
 */
async function createOne(
  { fields, input, images }: PreparedRequest,
  context: CreateContext & { readonly name: string | null; readonly key: string | null },
): Promise<Created> {
  const { client, stream, signal, onCreated } = context;
  const uploader = context.uploads?.createUploader();
  let wasSent = false;
  try {
    const isNamed = input !== null && (await isVencDaemon(client));
    if (isNamed && images.size === 0) {
      const answer = await send({ ...fields, input: placeholderInput, mock: true }, context);
      if (readBoolean(fields.mock)) return { answer, id: 0 };
    }
    const request = await withAddresses(fields, await uploader?.uploadAll(images));
    const address = input === null ? {} : { input: await uploader?.uploadInput(input) };
    const name = isNamed ? { input_name: inputNameOf(resolve(input.path)) } : {};
    wasSent = true;
    const answer = await send({ ...name, ...request, ...address }, context);
    const { id: reportedId } = normaliseCreated(answer);
    const id = readId(reportedId);
    const isMissing = id === 0 && (reportedId !== null || !readBoolean(request.mock));
    if (isMissing && stream.kind !== 'line') throw missingIdError(reportedId);
    if (id === 0) await uploader?.cleanUp(false);
    onCreated(id);
    return { answer, id };
  } catch (error) {
    const mayExist = wasSent && (signal.aborted || mayHaveCreatedJob(error));
    await uploader?.cleanUp(mayExist);
    throw signal.aborted ? interruptedError(mayExist) : error;
  }
}

/** Creates a job. One of several waits as long as the service requests, if that cannot create a second job. */
async function send(
  request: RequestFields,
  context: CreateContext & { readonly name: string | null; readonly key: string | null },
): Promise<unknown> {
  const { client, io, signal, name, key } = context;
  for (;;) {
    try {
      return (await createJobWithRetry(client, request, key, signal)).body;
    } catch (error) {
      const seconds = name === null ? null : requestedWaitSeconds(error);
      if (seconds === null || !(await isVencDaemon(client))) throw error;
      io.writeInfo(`venc: ${name}: the service asks to wait for ${seconds} s\n`);
      await abortableSleep(seconds * 1000, signal);
    }
  }
}

/** The wait in seconds that the service requests after too many requests; null for every other error. */
function requestedWaitSeconds(error: unknown): number | null {
  if (!isVencError(error, 'TooManyRequestsError')) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds !== null && retryAfterSeconds <= maxWaitSeconds
    ? Math.max(1, retryAfterSeconds)
    : null;
}

/** Whether a create that failed with this error may have created a job. Only a rejection rules that out. */
function mayHaveCreatedJob(error: unknown): boolean {
  if (!isVencError(error)) return true;
  if (error.errorClass === 'TooManyRequestsError') return false;
  return error.entry.exitCode === exitCodes.unreachable;
}

function interruptedError(mayExist: boolean): VencError {
  return mayExist
    ? new VencError('InterruptedError', 'Interrupted while waiting for the response of the service.', {
        hint: 'venc list shows whether a job was created',
      })
    : new VencError('InterruptedError', 'Interrupted. Nothing was submitted.');
}

/** The error for an answer without a usable id: only exact integers can be used in later requests. */
function missingIdError(reportedId: string | null): VencError {
  const answer =
    reportedId === null
      ? 'its response has no job id'
      : `the id in its response, ${safeText(reportedId)}, cannot be used`;
  return new VencError('UnreachableError', `The service accepted the request, but ${answer}.`, {
    hint: 'venc list shows whether a job was created',
  });
}

/** How to continue after the creates. */
interface AfterSubmitOptions {
  readonly io: Io;
  readonly mode: ProgressMode;
  readonly options: SubmitOptions;
  readonly repeat: WaitOptions['repeat'];
  readonly programs: WaitOptions['programs'];
  /** An interruption that is already listened for. */
  readonly waiting: Interruption | null;
}

/**
 * Continues with created jobs as the options say: waits for them and downloads their outputs. Without `--wait` it
 * suggests the next commands on a terminal. Resolves to the exit code of the command: the first that is not 0.
 */
async function afterSubmit(
  client: Client,
  { ids, folders, code, hostedFor, ...submitted }: Submitted,
  { io, mode, options, waiting, repeat, programs }: AfterSubmitOptions,
): Promise<ExitCode> {
  if (ids.length === 0) return code;
  if (options.wait !== true) {
    if (isForPerson(io, mode, options)) io.writeInfo(formatNextSteps(ids, hostedFor));
    return code;
  }
  const { waitAndDownload } = await import('./after-submit.js');
  const interruption = waiting ?? listenForInterrupt(io, options.timeout ?? null);
  const ended = await waitAndDownload(client, ids, {
    ...{ io, mode, options, folders, interruption, repeat, programs },
    ...{ inputs: submitted.inputs, failures: submitted.failures },
  });
  return code === exitCodes.done ? ended : code;
}

/** Whether both outputs are terminals without JSON or `--progress none`. */
function isForPerson({ isTerminal }: Io, mode: ProgressMode, { json }: SubmitOptions): boolean {
  return isTerminal.stdout && isTerminal.stderr && json !== true && (mode === 'tty' || mode === 'plain');
}

/** Maximum number of ids to print in full. */
const maxIds = 12;

function formatNextSteps(ids: readonly number[], hostedFor: string | null): string {
  const isMany = ids.length > maxIds;
  const args = isMany ? `${ids[0]} ... ${ids.at(-1)}` : ids.join(' ');
  // Without ids, watch shows all active jobs.
  const watch = isMany ? 'venc watch' : `venc watch ${args}`;
  const rest = isMany ? ` (all ${ids.length} ids)` : '';
  const download =
    hostedFor === null
      ? ''
      : `venc: to download the outputs (kept for ${hostedFor}): venc download ${args}${rest}\n`;
  return `venc: to watch the progress: ${watch}\n${download}`;
}
