import { suite } from 'uvu';
import { HandlerFixture } from '../helpers/handler-fixture.js';
import { closeFacts } from './job-queue/close-facts.js';
import { failureFacts } from './job-queue/failure-facts.js';
import { fencingFacts } from './job-queue/fencing-facts.js';
import { partFacts } from './job-queue/part-facts.js';
import type { CreateQueueHarness, QueueContext, QueueFacts } from './job-queue/queue-facts.js';
import { runFacts } from './job-queue/run-facts.js';
import { stopFacts } from './job-queue/stop-facts.js';

/**
 * Tests that every `JobQueue` implementation must pass. They observe runs only through the handler, and jobs only through
 * the store.
 */
export function jobQueueContract(
  name: string,
  createHarness: CreateQueueHarness,
  { end = async () => {} }: { readonly end?: () => Promise<void> } = {},
): void {
  const test = suite<QueueContext>(name);

  test.before.each(async (context) => {
    Object.assign(context, await createHarness());
    context.queue = await context.openQueue();
    context.fixture = new HandlerFixture();
  });
  test.after.each(async (context) => {
    await context.close();
  });

  test.after(end);

  const facts: QueueFacts = {
    ...{ ...runFacts, ...partFacts, ...fencingFacts },
    ...{ ...stopFacts, ...failureFacts, ...closeFacts },
  };
  for (const [fact, prove] of Object.entries(facts)) test(fact, prove);
  test.run();
}
