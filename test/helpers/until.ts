import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits, without sleeping, until something is so. Gives up after ten seconds, naming what was waited for. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It never came to be: ${what}.`);
    await nextTurn();
  }
}

/** Gives everything that could happen now, disk included, the time to happen. */
export async function quiet(turn: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    await turn();
    await nextTurn();
  }
}
