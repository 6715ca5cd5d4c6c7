import { isErrorClass } from '../../shared/error-classes.js';
import { isVencError, VencError } from '../../shared/errors.js';
import type { JobRecord } from '../../shared/records.js';
import { outputTable } from '../../shared/settings/index.js';

/** Names the field of an error that has none. Other errors stay unchanged. */
export function withField(error: unknown, field: string): unknown {
  if (!isVencError(error) || error.field !== undefined) return error;
  return copyOf(error, error.message, field);
}

/** An error about existing or unwritable files, as that of an output. */
export function outputErrorOf(error: unknown, field: string): unknown {
  if (!isVencError(error, 'UsageError')) return withField(error, field);
  return new VencError('ConflictError', error.message, {
    ...{ cause: error, field },
    ...(error.hint === null ? {} : { hint: error.hint }),
  });
}

/** The error of a rejected request, with the names that the caller wrote. */
export function asGiven(error: unknown, fieldOf: (field: string) => string): unknown {
  if (!isVencError(error)) return error;
  if (error.errorClass !== 'InvalidRequestError' && error.errorClass !== 'UsageError') return error;
  if (error.field !== undefined) return error;
  const renamed = error.messages.map((message) => {
    const [path = ''] = /^[\w.[\]-]+(?= )/.exec(message) ?? [];
    const field = path === '' ? '' : fieldOf(path);
    return { field, message: `${field}${message.slice(path.length)}`.replace(/\.?$/, '.') };
  });
  const [first] = renamed;
  return copyOf(error, renamed.map(({ message }) => message).join(' '), first?.field || undefined);
}

function copyOf(error: VencError, message: string, field: string | undefined): VencError {
  return new VencError(error.errorClass, message, {
    cause: error.cause ?? error,
    ...(error.hint === null ? {} : { hint: error.hint }),
    ...(field === undefined ? {} : { field }),
  });
}

/** The error of a failed job: that of its input, or of its first output that failed. `fields` name the outputs. */
export function failureOf(job: JobRecord, fields: readonly string[]): VencError {
  const { input_media_file: input, output_media_files: outputs } = job;
  if (input.error_class !== null) return toError(input, 'input');
  const index = outputs.findIndex(({ error_class: errorClass }) => errorClass !== null);
  const output = outputs[index];
  if (output === undefined) return new VencError('InternalError', 'The encode ended without a result.');
  return toError(output, fieldOfFailure(output.error_message ?? '', fields[index] ?? 'output'));
}

/** The setting that a failure names at its beginning, else the output. */
function fieldOfFailure(message: string, field: string): string {
  const [name = ''] = /^[a-z0-9_]+(?= )/.exec(message) ?? [];
  return Object.hasOwn(outputTable, name) ? field.replace(/output$/, name) : field;
}

function toError(
  file: { readonly error_class: string | null; readonly error_message: string | null },
  field: string,
): VencError {
  const errorClass = file.error_class ?? '';
  const known = isErrorClass(errorClass) ? errorClass : 'InternalError';
  // The words for the command line.
  const message = (file.error_message ?? errorClass).replace(/ \(--[a-z-]+\)/g, '');
  return new VencError(known, message, { field });
}
