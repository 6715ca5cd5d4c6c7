import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { JobProgressRecord, JobRecord } from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { foldersToCreate, removeEmptyFolders } from '../../shared/util/check-destinations.js';
import { type BatchDisplay, openBatchDisplay, writeSummary } from '../batch/batch-display.js';
import type { Context } from '../context.js';
import type { CreateArgs } from '../input/job-args.js';
import { isRequestName } from '../input/job-input.js';
import { hasLadder } from '../input/ladder-flags.js';
import { printResponseWarnings } from '../input/typed-request.js';
import {
  activityText,
  encodedText,
  encodeFailureText,
  type FinishedEncode,
} from '../output/progress-text.js';
import type { Io } from '../terminal/io.js';
import { openProgressDisplay, type ProgressDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { reportError } from '../terminal/report-error.js';
import { localPathOf, type ResolvedRequest } from './assign-destinations.js';
import type { PreparedRun } from './prepare-runs.js';
import type { Results } from './results.js';
import { writtenSidecars, writtenThumbnails } from './sidecar-files.js';
import { type StdoutOutput, sendFile } from './stdout-output.js';

/** Parameters shared by all encodes of a `venc run`. */
export interface Encoding extends Awaited<ReturnType<Context['programs']>> {
  /** A temporary folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Where the output of `-o -` goes; null without it. */
  readonly stdout: StdoutOutput | null;
  readonly stallTimeoutSeconds: number;
  readonly priority: { readonly nice: number; readonly isIoIdle: boolean };
}

/** How `venc run` reports progress. */
interface Reporting {
  readonly io: Io;
  readonly mode: ProgressMode;
  /** The named inputs, including those that could not be prepared. */
  readonly names: readonly string[];
  /** The command that repeats the run with other inputs. */
  readonly repeat: (names: readonly string[]) => Promise<readonly string[]>;
  /** The settings as typed, and whether the results are printed as JSON. */
  readonly options: CreateArgs & { readonly json?: boolean; readonly jsonl?: boolean };
  readonly results: Results;
}

/**
 * Encodes the inputs one after the other, because each encode uses all cores, with one progress display. If one of
 * several inputs fails, its error is reported and the others are still encoded. Resolves to the exit code and the
 * finished encodes.
 */
export async function encodeAll(
  runs: readonly PreparedRun[],
  { io, mode, names, repeat, options, results }: Reporting,
  encoding: Encoding,
): Promise<{ readonly code: ExitCode; readonly encodes: readonly FinishedEncode[] }> {
  const { runOneShot } = await import('../../../daemon/app/one-shot-run.js');
  const count = names.length;
  const display = await (count === 1 ? openSingleDisplay(io, mode) : openBatchDisplay(io, mode, names));
  const prepared = new Map(
    runs.map(({ name, resolvedRequest }) => [name, localPathOf(resolvedRequest.body.input)]),
  );
  for (const [index, name] of names.entries()) if (!prepared.has(name)) display.end(index, 'failed', null);
  const lengths =
    count > 1 && mode !== 'none'
      ? startLengths(
          names.map((name) => prepared.get(name) ?? null),
          display,
          encoding,
        )
      : null;
  const encodes: FinishedEncode[] = [];
  const reported = new Set<string>();
  const startedAtMs = Date.now();
  const hasSummary = mode === 'tty' || mode === 'plain';
  let code: ExitCode = exitCodes.done;
  try {
    for (const [index, { name, resolvedRequest }] of runs.entries()) {
      const encodeStartedAtMs = Date.now();
      const position = names.indexOf(name);
      const warnings: string[] = [];
      try {
        const folders = await foldersToCreate([
          ...resolvedRequest.paths,
          ...resolvedRequest.thumbnails.flat(),
        ]);
        const job = await runOneShot(resolvedRequest.body, {
          ...encoding,
          ...(encoding.stdout?.isStreamed === true ? { onBytes: encoding.stdout.write } : {}),
          folder: join(encoding.folder, `data-${index}`),
          hasMd5: options.json === true || options.jsonl === true,
          onCreated: (created) => {
            warnings.push(...(created.warnings ?? []).map(({ field, message }) => `${field}: ${message}`));
            return printResponseWarnings(created, isRequestName(name) ? resolvedRequest.body : null, {
              io: display,
              typed: { arg: name, args: options },
              where: count === 1 ? '' : `${name}: `,
            });
          },
          onProgress: (record) =>
            display.update(position, record.progress, true, record, activityOf(record, resolvedRequest)),
          onDetail: io.isVerbose
            ? (line) => display.writeStderr(`venc: ${safeText(line.replace(/^Job \d+: /, ''))}\n`)
            : undefined,
          onError: (message) => {
            if (!reported.has(message)) display.writeStderr(`venc: ${message}\n`);
            reported.add(message);
          },
        });
        const encode = toFinishedEncode(job, resolvedRequest, encodeStartedAtMs, encoding.stdout);
        if (encoding.stdout?.error != null) throw encoding.stdout.error;
        if (encode?.job.state === 'cancelled') {
          await removeEmptyFolders(folders);
          throw interruptedError(encode.job, encode.destinations);
        }
        if (encode !== null) await keepModificationTime(encode.job, resolvedRequest);
        if (encoding.stdout !== null && encode?.job.output_media_files[0]?.state === 'finished')
          await sendFile(encoding.stdout);
        if (index === runs.length - 1) display.stop();
        if (encode !== null) encodes.push(encode);
        const ended = await reportEnd(encode, resolvedRequest, {
          io,
          display,
          name,
          isOnly: count === 1,
          isPiped: encoding.stdout !== null,
          hasSummary,
          options,
        });
        if (encode !== null) await display.withDisplayHidden(() => results.add(name, encode.job, warnings));
        if (encode !== null)
          display.end(
            position,
            encode.job.state === 'finished' ? 'finished' : 'failed',
            encode.job.input_media_file.duration_in_ms,
          );
        if (code === exitCodes.done) code = ended;
        if (hasSummary && encode !== null) display.writeInfo(encodedText(encode));
      } catch (error) {
        if (!isVencError(error)) throw error;
        if (isFatal(error, name)) throw count === 1 ? error : withCount(error, encodes.length, count);
        await display.withDisplayHidden(() => results.addError(name, error));
        display.end(position, 'failed', null);
        if (count === 1) throw error;
        code = reportError(display, error, name, code);
      }
    }
  } finally {
    display.stop();
    await lengths?.stop();
  }
  if (hasSummary && count > 1) {
    const finished = encodes.flatMap(({ job }) => (job.state === 'finished' ? [job] : []));
    await writeSummary(io, { count, finished, failures: results.failures(), startedAtMs, repeat });
  }
  return { code, encodes };
}

/** The display of a single encode, with the interface of that of a batch. */
async function openSingleDisplay(io: Io, mode: ProgressMode): Promise<BatchDisplay> {
  const { update, ...display } = await openProgressDisplay(io, mode, 'encode');
  return {
    ...display,
    update: (_index, percent, _isActive, record, activity) => update(percent, activity, record),
    ...{ end: () => {}, setLength: () => {}, setFrozen: () => {} },
  };
}

/** Reads the lengths of local inputs while the first ones are encoded. */
function startLengths(
  paths: readonly (string | null)[],
  { setLength }: Pick<BatchDisplay, 'setLength'>,
  { ffmpeg, ffprobe, sandbox, signal }: Encoding,
): { readonly stop: () => Promise<void> } {
  const end = new AbortController();
  const options = { ffmpeg, ffprobe, sandbox, onLength: setLength };
  const reading = import('../../../daemon/app/read-lengths.js').then(({ readLengths }) =>
    readLengths(paths, { ...options, signal: AbortSignal.any([signal, end.signal]) }),
  );
  return {
    stop: () => {
      end.abort();
      return reading;
    },
  };
}

/** What is done for an encode. A file that stays on this machine is not uploaded. */
function activityOf(record: JobProgressRecord, { paths }: ResolvedRequest): string {
  const isLocal = paths.every((path) => !isUrl(path));
  return activityText(record).replace(/^uploading/, isLocal ? 'saving' : '$&');
}

/** Whether an error also affects the other inputs: an interruption, a missing ffmpeg, invalid flags. */
function isFatal(error: VencError, name: string): boolean {
  if (error.errorClass === 'InterruptedError' || error.errorClass === 'UnavailableError') return true;
  return error.errorClass === 'InvalidRequestError' && !isRequestName(name);
}

function withCount(error: VencError, done: number, count: number): VencError {
  if (error.errorClass !== 'InterruptedError') return error;
  const hint = error.hint === null ? {} : { hint: error.hint };
  return new VencError(
    'InterruptedError',
    `${error.message} ${done} of ${count} files had been encoded.`,
    hint,
  );
}

function toFinishedEncode(
  job: JobRecord | null,
  { paths }: ResolvedRequest,
  startedAtMs: number,
  stdout: StdoutOutput | null,
): FinishedEncode | null {
  if (job === null) return null;
  // URLs are printed without their passwords.
  const destinations = paths.map((path, index) =>
    path === stdout?.path
      ? stdoutName
      : isUrl(path)
        ? withoutPassword(job.output_media_files[index]?.url ?? path)
        : path,
  );
  return { job, destinations, startedAtMs, endedAtMs: Date.now() };
}

/** What messages call the output of `-o -`. */
const stdoutName = 'stdout';

/** Gives the finished files the modification time of a local input, unless its tags are dropped. Never rejects. */
async function keepModificationTime(job: JobRecord, { body, paths }: ResolvedRequest): Promise<void> {
  const { input, outputs } = body;
  if (typeof input !== 'string' || !/^file:/i.test(input)) return;
  const source = await stat(fileURLToPath(input)).catch(() => null);
  for (const [index, path] of paths.entries()) {
    const { metadata } = (Array.isArray(outputs) ? (outputs[index] ?? {}) : {}) as { metadata?: unknown };
    const isFinished = job.output_media_files[index]?.state === 'finished';
    if (source !== null && isFinished && metadata !== 'drop' && !isUrl(path))
      await utimes(path, source.atime, source.mtime).catch(() => undefined);
  }
}

/** What {@link reportEnd} needs in addition to the encode. */
interface EndReporting {
  readonly io: Io;
  readonly display: Omit<ProgressDisplay, 'update'>;
  /** The input as it was typed. */
  readonly name: string;
  readonly isOnly: boolean;
  /** Whether the output itself is on stdout, which then has nothing else. */
  readonly isPiped: boolean;
  /** Whether each finished output has a line with its size. */
  readonly hasSummary: boolean;
  readonly options: Reporting['options'];
}

/**
 * Prints the written paths, those of captions and thumbnails after that of their video, the warnings, and the errors of
 * the other outputs.
 */
async function reportEnd(
  encode: FinishedEncode | null,
  { thumbnails }: ResolvedRequest,
  { io, display, name, isOnly, isPiped, hasSummary, options }: EndReporting,
): Promise<ExitCode> {
  if (encode === null) {
    display.writeInfo(
      `venc: ${isOnly ? '' : `${safeText(name)}: `}the request is valid; nothing was encoded\n`,
    );
    return exitCodes.done;
  }
  const { job, destinations } = encode;
  const named = writtenThumbnails(job, thumbnails);
  const written = destinations.flatMap((destination, index) => {
    const file = job.output_media_files[index];
    return file?.state === 'finished'
      ? [destination, ...writtenSidecars(file, destination), ...(named.byOutput[index] ?? [])]
      : [];
  });
  written.push(...named.others);
  const isJson = options.json === true || options.jsonl === true;
  // On one terminal the line of a finished output has its path.
  const isOneScreen = !isOnly && hasSummary && io.isTerminal.stdout && io.isTerminal.stderr;
  const printed = isOneScreen ? written.filter((path) => !destinations.includes(path)) : written;
  if (printed.length > 0 && !isJson && !isPiped)
    await display.withDisplayHidden(() => io.writeStdout(printed.map((path) => `${path}\n`).join('')));
  // A ladder has renditions only up to the height of the input.
  const isExpected = ({ state }: JobRecord['output_media_files'][number]) =>
    hasLadder(options) && state === 'skipped';
  const hasWarnings = job.output_media_files.some(
    (file) => !isExpected(file) && (file.warnings ?? []).length > 0,
  );
  if (job.state === 'finished' && !hasWarnings) return exitCodes.done;
  const { failureTerms } = await import('../input/settings-errors.js');
  const asTyped = await failureTerms(name, options);
  for (const [index, file] of job.output_media_files.entries()) {
    const { warnings = [] } = file;
    if (isExpected(file)) continue;
    for (const warning of warnings) {
      const text = `${destinations[index] ?? ''}: ${asTyped(warning, index)}`;
      display.writeStderr(`venc: warning: ${safeText(text)}\n`);
    }
  }
  if (job.state === 'finished') return exitCodes.done;
  display.writeStderr(encodeFailureText(job, { input: isOnly ? null : name, destinations, asTyped }));
  return exitCodes.jobFailed;
}

/** The number of outputs that a message names. */
const maxNamed = 3;

/**
 * The error for an interrupted run. It names the finished outputs, which stay. `destinations` has one path or URL for
 * each output.
 */
export function interruptedError(job: JobRecord, destinations: readonly string[]): VencError {
  const finished = destinations.filter((_, index) => job.output_media_files[index]?.state === 'finished');
  const cancelled = 'Interrupted: the encoding was cancelled';
  if (finished.length === 0)
    return new VencError('InterruptedError', `${cancelled} and nothing was left behind.`);
  const named = finished.slice(0, maxNamed).join(', ');
  const more = finished.length > maxNamed ? ` and ${finished.length - maxNamed} more` : '';
  const what = finished.length === 1 ? '1 finished output stays' : `${finished.length} finished outputs stay`;
  return new VencError('InterruptedError', `${cancelled}. ${what}: ${named}${more}.`, {
    hint: 'the same command with --force encodes these again',
  });
}
