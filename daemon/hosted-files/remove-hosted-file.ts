import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hostedFilePath, isFileRef } from './file-ref.js';
import type { FileRef } from './hosted-file-store.js';
import type { HostedFileStoreState } from './hosted-file-store-state.js';

/** Takes a file off the shelf as if it had never been there: the last one of a token takes the folder along, which would be a trace. */
export async function removeHostedFile(state: HostedFileStoreState, ref: FileRef): Promise<void> {
  if (!isFileRef(ref)) return;
  await state.mutex.runExclusive(ref.token, async () => {
    await rm(hostedFilePath(state.folder, ref), { force: true });
    await rmdir(join(state.folder, ref.token)).catch(() => undefined);
  });
}
