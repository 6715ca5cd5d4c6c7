import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Number of polls without a pause, for events in this process: most conditions are true by then. */
const fastPolls = 20;

/**
 * Waits until a condition is true. Fails after a minute with the name of the condition. After the first polls it pauses between
 * polls, to leave the CPU to the other processes that the condition depends on.
 */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const begin = Date.now();
  for (let polls = 0; !(await condition()); polls += 1) {
    const waitedMs = Date.now() - begin;
    if (waitedMs > 60_000) throw new Error(`Timed out after 60 s waiting until ${what}.`);
    await (polls < fastPolls ? nextTurn() : pauseBetweenPolls(waitedMs));
  }
}

/** Pauses for a tenth of the time waited so far, from 2 to 50 ms: a request every few milliseconds would slow down the work itself. */
const pauseBetweenPolls = (waitedMs: number): Promise<void> =>
  pause(Math.min(50, Math.max(2, waitedMs / 10)));

/** Waits until the scratch folder of a daemon is empty. A run removes its folder after its job has reached the final state. */
export async function waitUntilScratchIsEmpty(dataFolder: string): Promise<void> {
  const scratch = join(dataFolder, 'scratch');
  await waitUntil(`${scratch} is empty`, async () => (await readdir(scratch)).length === 0);
}

/** Waits until all pending work that does not depend on timers is done, including disk access. */
export async function settleEventLoop(turn: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    await turn();
    await nextTurn();
  }
}
