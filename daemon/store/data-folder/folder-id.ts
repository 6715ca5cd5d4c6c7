import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { replaceFile } from '../../../src/shared/util/atomic-files.js';
import { readTextFile } from '../../../src/shared/util/disk.js';
import { randomToken } from '../../../src/shared/util/random-token.js';

/** The id in a file, which the first process that asks for it makes. */
async function readFolderId(path: string): Promise<string> {
  const known = (await readTextFile(path))?.trim() ?? '';
  if (/^[0-9a-f]+$/.test(known)) return known;
  const id = randomToken();
  await replaceFile(path, (file) => file.write(`${id}\n`));
  return id;
}

/** An id of the folder of a file on this machine, for processes that use it one after the other. A copy of the folder has another one. */
export async function readPlaceId(path: string): Promise<string> {
  const place = JSON.stringify([await readFolderId(path), hostname(), resolve(path)]);
  return createHash('sha256').update(place).digest('hex').slice(0, 16);
}
