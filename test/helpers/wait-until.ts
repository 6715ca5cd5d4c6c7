import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/**
 * Asks until the answer meets the condition, by default for at most two minutes, because an encode takes long on a busy machine. Then it
 * fails with the last answer. It asks without a pause for the first milliseconds, for events in this process, and then less often the
 * longer it takes: each answer of a daemon costs processor time, which an encode needs.
 */
export async function pollUntil<T>(
  ask: () => T | Promise<T>,
  condition: (value: T) => boolean,
  limitMs = 120_000,
  what = 'the answer meets the condition',
): Promise<T> {
  const begin = Date.now();
  for (;;) {
    const value = await ask();
    if (condition(value)) return value;
    const waitedMs = Date.now() - begin;
    if (waitedMs > limitMs) {
      const last = JSON.stringify(value);
      throw new Error(`Timed out after ${limitMs / 1000} s waiting until ${what}; last answer: ${last}`);
    }
    await (waitedMs < 5 ? nextTurn() : pause(Math.min(100, Math.max(2, waitedMs / 5))));
  }
}

/** Waits until a condition is true, for at most a minute. */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  await pollUntil(condition, Boolean, 60_000, what);
}

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
