import type { AppOptions } from '../app-options.js';
import { type FolderRecordsOptions, openFolderRecords } from './folder-records.js';
import type { Records } from './records.js';

/** Opens the records of a daemon: in its data folder, or in the database of `--database`. */
export async function openRecords(
  { database = null, isUsageRebuilt = false }: AppOptions,
  parts: Omit<FolderRecordsOptions, 'isUsageRebuilt'>,
): Promise<Records> {
  if (database === null) return openFolderRecords({ ...parts, isUsageRebuilt });
  // Loaded only here, with the packages for the database.
  const { openDatabaseRecords } = await import('./database-records.js');
  return openDatabaseRecords({ ...parts, dsn: database });
}
