import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Looks one after the other, for what happens in this process: most of what is waited for is there by then. */
const fastPolls = 20;

/**
 * Waits until something is so. Gives up after thirty seconds, naming what was waited for. After a few looks it pauses in between: what
 * another process is to do comes sooner where this one leaves it the processor.
 */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  for (let polls = 0; !(await condition()); polls += 1) {
    if (Date.now() > end) throw new Error(`It never came to be: ${what}.`);
    await (polls < fastPolls ? nextTurn() : pause(2));
  }
}

/** Gives everything that could happen now, disk included, the time to happen. */
export async function settleEventLoop(turn: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    await turn();
    await nextTurn();
  }
}
