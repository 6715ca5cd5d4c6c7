import { normaliseCreated } from '../../shared/client/normalise.js';
import { VencError } from '../../shared/errors.js';
import type { ReportedWarning, RequestFields } from '../../shared/settings/setting.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from '../terminal/io.js';
import type { CreateArgs } from './job-args.js';

/** The command that a request comes from. */
export interface TypedRequest {
  /** The input as typed; empty for a line of stdin. */
  readonly arg: string;
  readonly args: CreateArgs;
}

/** How the warnings about a request are printed. */
interface WarningOptions {
  readonly io: Pick<Io, 'writeStderr'>;
  /** The command whose flags the warnings name. */
  readonly typed: TypedRequest;
  /** A prefix such as `line 3: `. */
  readonly where?: string;
}

/** Prints the warnings about a request that need no service: unknown fields, with suggestions, and settings without effect. */
export async function printRequestWarnings(
  request: Readonly<Record<string, unknown>>,
  options: WarningOptions,
): Promise<void> {
  const { outputs } = request;
  await printWarnings(
    await findRequestWarnings(request),
    Array.isArray(outputs) ? outputs.length : 1,
    options,
  );
}

/**
 * Prints the warnings in the response to a create, except those that `printRequestWarnings` has printed about
 * `request`, which is null if it was not called.
 */
export async function printResponseWarnings(
  response: unknown,
  request: unknown,
  options: WarningOptions,
): Promise<void> {
  const { warnings = [], outputs } = normaliseCreated(response);
  if (warnings.length === 0) return;
  const textOf = ({ field, message }: ReportedWarning) => `${field} ${message}`;
  const printed = new Set((await findRequestWarnings(request)).map(textOf));
  const others = warnings.filter((warning) => !printed.has(textOf(warning)));
  await printWarnings(others, outputs.length, options);
}

/**
 * Prints one line for each warning: `venc: warning: --size has no effect with --width`, and with the path of a setting
 * that is not a flag `venc: warning: outputs[0].widht: is not known and was ignored`. A warning about a flag is printed
 * once, and names its outputs unless it is about all of them.
 */
async function printWarnings(
  warnings: readonly ReportedWarning[],
  outputCount: number,
  { io, typed, where = '' }: WarningOptions,
): Promise<void> {
  if (warnings.length === 0) return;
  const { warningTerms } = await import('./settings-errors.js');
  const termsOf = await warningTerms(typed.arg, typed.args);
  const numbers = new Map<string, number[]>();
  for (const warning of warnings) {
    const { text, output } = termsOf(warning);
    numbers.set(text, [...(numbers.get(text) ?? []), ...(output === null ? [] : [output])]);
  }
  for (const [text, outputs] of numbers) {
    const isPart = outputs.length > 0 && outputs.length < outputCount;
    const which = isPart ? `output ${outputs.join(', ')}: ` : '';
    io.writeStderr(`venc: ${where}warning: ${which}${safeText(text)}\n`);
  }
}

async function findRequestWarnings(request: unknown): Promise<readonly ReportedWarning[]> {
  const { parseJobRequest } = await import('../../shared/settings/parse-job-request.js');
  const { toReportedWarnings } = await import('../../shared/settings/report-warnings.js');
  const { warnings } = parseJobRequest(request, { maxOutputs: Number.POSITIVE_INFINITY });
  return toReportedWarnings(warnings, request);
}

/**
 * Runs a command that creates a job. If it fails, the error lists all errors in the settings and names them as they
 * were typed. `arg` is the input as typed.
 */
export async function withTypedErrors<T>(
  arg: string | undefined,
  args: CreateArgs,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw await withTypedTerms(error, { arg: arg ?? '', args });
  }
}

/** Names the settings in an error as they were typed. The modules for this are loaded only after an error. */
export async function withTypedTerms<E>(error: E, { arg, args }: TypedRequest): Promise<E | VencError> {
  const terms = await import('./settings-errors.js');
  return terms.withTypedTerms(error, arg, args);
}

/**
 * Runs a step that processes a request. If it fails, the error also lists everything else that is wrong with the
 * request.
 */
export async function withValidation<T>(request: RequestFields, step: () => T): Promise<T> {
  try {
    return step();
  } catch (error) {
    const { withInvalidFields } = await import('./settings-errors.js');
    throw withInvalidFields(error, request);
  }
}

/** Turns `UnavailableError` into `UsageError`: a missing ffmpeg is for the user to fix (exit code 2). */
export function withoutProgram(error: unknown): unknown {
  if (!(error instanceof VencError) || error.errorClass !== 'UnavailableError') return error;
  return new VencError('UsageError', error.message, {
    cause: error,
    hint: 'venc doctor shows where it was searched for',
  });
}
