import { VencError } from '../../src/shared/errors.js';
import type { MigrationName, TargetState } from '../store/stored-records.js';

/** How far a migration to a target is. */
export type TargetProgress = 'empty' | 'unfinished' | 'finished';

/** The name of a migration; `keyCheck` is null while the key is not known. */
interface ExpectedMigration extends Pick<MigrationName, 'source'> {
  readonly keyCheck: string | null;
}

/** How far a migration to this target is. Throws `ConflictError` if the target contains anything else than its records. */
export function requireTarget(
  state: TargetState,
  migration: ExpectedMigration,
  target: string,
): TargetProgress {
  if (state.kind === 'empty') return 'empty';
  if (state.kind === 'used')
    throw notEmpty(`${capitalized(target)} is not empty: it contains ${state.what}.`);
  const { source, keyCheck } = state.migration;
  const progress = state.isFinished ? 'finished' : 'unfinished';
  const part = state.isFinished ? 'the records' : 'a part of the records';
  if (source !== migration.source)
    throw notEmpty(`${capitalized(target)} contains ${part} of ${source}, not of ${migration.source}.`);
  if (migration.keyCheck !== null && keyCheck !== migration.keyCheck)
    throw notEmpty(`${capitalized(target)} contains ${part} of ${source} with another key of the database.`);
  return progress;
}

function notEmpty(message: string): VencError {
  return new VencError('ConflictError', message, {
    hint: 'migrate to an empty database (createdb), or to a new data folder',
  });
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
