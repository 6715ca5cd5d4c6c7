import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isShelfPlace, pathOf } from './file-ref.js';
import type { ShelfPlace } from './hosted-file-store.js';
import type { ShelfState } from './store-state.js';

/** Takes a file off the shelf as if it had never been there: the last one of a token takes the folder along, which would be a trace. */
export async function remove(state: ShelfState, place: ShelfPlace): Promise<void> {
  if (!isShelfPlace(place)) return;
  await state.locks.runExclusive(place.token, async () => {
    await rm(pathOf(state.folder, place), { force: true });
    await rmdir(join(state.folder, place.token)).catch(() => undefined);
  });
}
