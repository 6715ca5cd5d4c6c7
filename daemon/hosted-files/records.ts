import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileFacts } from '../jobs/job.js';
import { syncFolder } from '../transfer/folders.js';
import { recordsFolder, type ShelfState, unfinishedFolder } from './store-state.js';

/** What is known about a received file. */
export interface ShelfRecord extends FileFacts {
  readonly ownerId: string;
}

/** Keeps what is known about a received file, durably. Done before the file gets its name, so that no file lacks an owner. */
export async function writeRecord(state: ShelfState, token: string, record: ShelfRecord): Promise<void> {
  await mkdir(recordsFolder(state), { recursive: true, mode: 0o700 });
  const partPath = join(unfinishedFolder(state), `${token}.json`);
  const handle = await open(partPath, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(record));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partPath, recordPath(state, token));
  await syncFolder(recordsFolder(state));
}

/** What is known about the file of a token; null where nothing is, or nothing that can be read. */
export async function readRecord(state: ShelfState, token: string): Promise<ShelfRecord | null> {
  try {
    const value: unknown = JSON.parse(await readFile(recordPath(state, token), 'utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Forgets what is known about the file of a token. */
export async function removeRecord(state: ShelfState, token: string): Promise<void> {
  await rm(recordPath(state, token), { force: true });
}

function recordPath(state: ShelfState, token: string): string {
  return join(recordsFolder(state), `${token}.json`);
}

function isRecord(value: unknown): value is ShelfRecord {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    typeof fields.ownerId === 'string' &&
    typeof fields.sizeBytes === 'number' &&
    typeof fields.md5 === 'string'
  );
}
