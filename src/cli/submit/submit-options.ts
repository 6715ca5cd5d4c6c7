import { VencError } from '../../shared/errors.js';
import type { JobArgs } from '../input/job-args.js';
import type { ProgressChoice } from '../terminal/progress-mode.js';

/** The options of `venc submit`, in addition to the settings of the job. */
export interface SubmitOptions extends JobArgs {
  readonly xml?: boolean;
  readonly ndjson?: boolean;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
  readonly wait?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  readonly download?: string;
  readonly force?: boolean;
  readonly stage?: string;
  readonly progress?: ProgressChoice;
}

/** Throws `UsageError` for flags without effect and for conflicting flags. */
export function rejectUnusedFlags({ wait, timeout, download, json }: SubmitOptions): void {
  const unusedFlags = [
    ['--timeout', timeout !== undefined && wait !== true, '--wait'],
    ['--download', download !== undefined && wait !== true, '--wait'],
  ] as const;
  for (const [flag, isUnused, partner] of unusedFlags)
    if (isUnused) throw new VencError('UsageError', `${flag} needs ${partner}.`);
  if (json === true && download !== undefined) {
    throw new VencError('UsageError', '--json cannot be combined with --download.', {
      hint: 'use venc wait and venc download with the id in the JSON',
    });
  }
}

/** Parses an idempotency key. Throws `UsageError` unless it has 1 to 200 printable ASCII characters, which
 * leaves room for the suffix `-N`. */
export function idempotencyKeyOf(arg: string): string {
  if (/^[!-~]{1,200}$/.test(arg)) return arg;
  throw new VencError(
    'UsageError',
    '--idempotency-key must be 1 to 200 printable ASCII characters without spaces.',
  );
}
