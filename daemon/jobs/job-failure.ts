import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError } from '../../src/shared/errors.js';
import { redact } from '../../src/shared/redact.js';

/** Why an input or an output failed: `error_class` and `error_message` of its record. Holds no secret. */
export interface JobFailure {
  readonly errorClass: ErrorClass;
  readonly message: string;
}

/** The fault that an error amounts to; errors that are not ours take the class given as `otherwise`. */
export function toJobFailure(error: unknown, fallback: ErrorClass): JobFailure {
  if (isVencError(error)) return { errorClass: error.errorClass, message: redact(error.message) };
  const message = error instanceof Error ? error.message : String(error);
  return { errorClass: fallback, message: redact(message) };
}
