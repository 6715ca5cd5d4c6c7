import { createHmac } from 'node:crypto';
import { VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { readTextFile } from '../../../src/shared/util/disk.js';
import { diskOfOwner, makeDataFolder } from '../data-folder/data-folder.js';
import { toWriteError } from '../data-folder/disk-errors.js';
import { dataLayout } from '../data-folder/layout.js';
import { newCredentialsKey, parseCredentialsKey } from './credentials-file.js';

/** The options of `openDatabaseKey`. */
interface DatabaseKeyOptions {
  readonly dataFolder: string;
  /** The value of `VENC_DATABASE_KEY`. Undefined and empty are the same. */
  readonly given: string | undefined;
  /** Whether the database contains nothing that is encrypted, so that a new key may be created. */
  readonly isUnused: () => Promise<boolean>;
}

/**
 * The key that encrypts the secrets in a database: 32 bytes, the same for all daemons of a database, and never stored
 * in it. It is that of `VENC_DATABASE_KEY`, else that of the file `database-key` in the data folder, else a new one,
 * which is written there. Rejects with `UsageError` if the given one is invalid, or if there is none and the database
 * needs an existing one.
 */
export async function openDatabaseKey({ dataFolder, given, isUnused }: DatabaseKeyOptions): Promise<Buffer> {
  if (given !== undefined && given !== '') return parse(given, 'VENC_DATABASE_KEY');
  const path = dataLayout(dataFolder).databaseKey;
  const stored = await readTextFile(path);
  if (stored !== null) return parse(stored, path);
  if (!(await isUnused()))
    throw new VencError('UsageError', 'The key that encrypts the secrets of the database is missing.', {
      hint: `set VENC_DATABASE_KEY to the content of the file database-key of another data folder, or copy that file to ${path}`,
    });
  const text = newCredentialsKey();
  await makeDataFolder(dataFolder);
  await new AtomicFiles(diskOfOwner(dataFolder), toWriteError).write(path, text);
  return parse(text, path);
}

/** A checksum that shows whether two keys are the same. */
export function checkOfKey(key: Buffer): string {
  return createHmac('sha256', key).update('venc database key').digest('hex').slice(0, 16);
}

function parse(text: string, place: string): Buffer {
  const key = parseCredentialsKey(text);
  if (key !== null) return key;
  throw new VencError('UsageError', `The key in ${place} is not 32 bytes in base64.`, {
    hint: 'use the content of the file database-key of the data folder in which it was created',
  });
}
