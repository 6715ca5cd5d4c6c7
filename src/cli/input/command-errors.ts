import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import type { CreateArgs } from './job-args.js';
import type { TypedRequest } from './print-warnings.js';

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
