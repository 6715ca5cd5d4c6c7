import { ageParser } from '../../src/shared/flag-parsers.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import type { OutputDestinations } from '../jobs/draft.js';
import type { AppContext } from './app-context.js';

const minKeepSeconds = 60;

/** The seconds of a valid value of `keep`; null without one. */
export function keepSecondsOf(keep: string | undefined): number | null {
  return keep === undefined ? null : Math.round(ageParser('keep')(keep));
}

/** The validation errors of a value of `keep`: whether this daemon keeps files that long. */
export function keepErrors(
  { maxKeepSeconds }: Pick<AppContext, 'maxKeepSeconds'>,
  keep: string | undefined,
): readonly string[] {
  const seconds = keepSecondsOf(keep);
  if (seconds === null || (seconds >= minKeepSeconds && seconds <= maxKeepSeconds)) return [];
  const limit = `${maxKeepSeconds / 3600}h`;
  return [`keep must be from ${minKeepSeconds}s to ${limit}, the limit of this daemon (--hosted-hours)`];
}

/** Says so if `keep` has no effect, because no output is hosted. */
export function keepWarnings(
  keep: string | undefined,
  outputs: readonly { readonly outputDestination: OutputDestinations }[],
): readonly RequestWarning[] {
  const isHosted = outputs.some(({ outputDestination: { destination } }) =>
    destination.startsWith('hosted:'),
  );
  if (keep === undefined || isHosted) return [];
  const message = 'has no effect: every output has a destination of its own';
  return [{ field: 'keep', message }];
}
