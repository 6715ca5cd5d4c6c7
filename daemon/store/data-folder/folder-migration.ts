import { VencError } from '../../../src/shared/errors.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { MigrationName } from '../stored-records.js';
import { readDocument } from './document.js';
import { dataLayout } from './layout.js';

/** The content of `DATA/migration.json`: the migration that has filled the folder, or is filling it. */
interface FolderMigration extends MigrationName {
  readonly isFinished: boolean;
}

/** Reads `migration.json`; null if there is none. Rejects with `UsageError` if it is damaged. */
export async function readFolderMigration(folder: string): Promise<FolderMigration | null> {
  const path = dataLayout(folder).migration;
  const found = await readDocument(path, readMigration);
  if (found.kind === 'whole') return found.data;
  if (found.kind === 'missing') return null;
  throw new VencError('UsageError', `The file ${path} is damaged: ${found.reason}.`, {
    hint: 'Remove the folder and run venc migrate again.',
  });
}

/** Rejects with `UsageError` if a migration to the folder has not finished, after it has called `release`. */
export async function requireNoUnfinishedMigration(
  folder: string,
  release: () => Promise<void>,
): Promise<void> {
  try {
    const found = await readFolderMigration(folder);
    if (found === null || found.isFinished) return;
    throw new VencError(
      'UsageError',
      `The data folder ${folder} contains only a part of ${found.source}: a migration has not finished.`,
      { hint: 'Run the same venc migrate command again, or remove the folder.' },
    );
  } catch (error) {
    await release();
    throw error;
  }
}

function readMigration(value: unknown): FolderMigration | null {
  if (!isObject(value)) return null;
  const { source, keyCheck, isFinished } = value;
  if (typeof source !== 'string' || typeof keyCheck !== 'string') return null;
  return typeof isFinished === 'boolean' ? { source, keyCheck, isFinished } : null;
}
