import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Number of polls without a pause, for events in this process: most conditions are true by then. */
const fastPolls = 20;

/**
 * Waits until a condition is true. Fails after 30 seconds with the name of the condition. After the first polls it pauses between
 * polls, to leave the CPU to the other processes that the condition depends on.
 */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  for (let polls = 0; !(await condition()); polls += 1) {
    if (Date.now() > end) throw new Error(`Timed out after 30 s waiting until ${what}.`);
    await (polls < fastPolls ? nextTurn() : pause(2));
  }
}

/** Waits until all pending work that does not depend on timers is done, including disk access. */
export async function settleEventLoop(turn: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    await turn();
    await nextTurn();
  }
}
