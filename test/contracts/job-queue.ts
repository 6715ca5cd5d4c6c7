import { suite } from 'uvu';
import { Stage } from '../helpers/stage.js';
import { closing } from './job-queue/closing.js';
import { failing } from './job-queue/failing.js';
import { fencing } from './job-queue/fencing.js';
import type { QueueContext, QueueFacts, QueueHarness } from './job-queue/queue-facts.js';
import { running } from './job-queue/running.js';
import { stopping } from './job-queue/stopping.js';

/**
 * The promises of a `JobQueue`, as tests. Every implementation is held to them. Runs are known only through the
 * handler, and jobs only through the store.
 */
export function jobQueueContract(name: string, harness: QueueHarness): void {
  const test = suite<QueueContext>(name);

  test.before.each(async (context) => {
    Object.assign(context, await harness());
    context.queue = context.openQueue();
    context.stage = new Stage();
  });
  test.after.each(async (context) => {
    await context.close();
  });

  const facts: QueueFacts = { ...running, ...fencing, ...stopping, ...failing, ...closing };
  for (const [fact, prove] of Object.entries(facts)) test(fact, prove);
  test.run();
}
