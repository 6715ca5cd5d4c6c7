import { copyFile, mkdir, rename, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { makeFolders, syncFile, syncFolder } from '../transfer/folders.js';
import { ownDiskFault } from '../transfer/map-disk-error.js';
import { isShelfPlace, pathOf } from './file-ref.js';
import type { ShelfPlace } from './hosted-file-store.js';
import { type ShelfState, unfinishedFolder } from './store-state.js';

/** Puts a finished file at a place by moving it there, durably; its time begins now. */
export async function place(state: ShelfState, fromPath: string, to: ShelfPlace): Promise<void> {
  if (!isShelfPlace(to))
    throw new VencError('UploadFailureError', 'The name cannot be that of a hosted file.');
  await state.locks.runExclusive(to.token, () => moved(state, fromPath, to)).catch(rethrow);
}

async function moved(state: ShelfState, fromPath: string, to: ShelfPlace): Promise<void> {
  // Time and bytes first: under its final name the file is complete in every respect, also after a power cut.
  await makeReady(state, fromPath);
  const tokenFolder = join(state.folder, to.token);
  const undo = await makeFolders(tokenFolder);
  try {
    await rename(fromPath, pathOf(state.folder, to)).catch(async (error: unknown) => {
      if (systemCode(error) !== 'EXDEV') throw error;
      await copiedAcross(state, fromPath, to);
    });
  } catch (error) {
    await undo();
    throw error;
  }
  await syncFolder(tokenFolder);
  await syncFolder(state.folder);
}

async function copiedAcross(state: ShelfState, fromPath: string, to: ShelfPlace): Promise<void> {
  await mkdir(unfinishedFolder(state), { recursive: true, mode: 0o700 });
  const partPath = join(unfinishedFolder(state), to.token);
  try {
    await copyFile(fromPath, partPath);
    await makeReady(state, partPath);
    await rename(partPath, pathOf(state.folder, to));
  } catch (error) {
    await unlink(partPath).catch(() => undefined);
    throw error;
  }
  await unlink(fromPath).catch(() => undefined);
}

async function makeReady(state: ShelfState, path: string): Promise<void> {
  await utimes(path, state.now(), state.now());
  await syncFile(path);
}

function rethrow(error: unknown): never {
  throw ownDiskFault(error, 'upload');
}
